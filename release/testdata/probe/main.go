// Probe prints who it is in an image, and where it can write.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func main() {
	fmt.Printf("user %d:%d\n", os.Getuid(), os.Getgid())
	dir, err := os.Getwd()
	fmt.Println("in", dir, err)
	fmt.Println("HOME", os.Getenv("HOME"))
	for _, dir := range []string{"/", "/etc", "/usr/local/bin", "/work", "/home/rollstamp", "/tmp"} {
		err := os.WriteFile(filepath.Join(dir, "probe"), nil, 0o644)
		fmt.Printf("writes to %s: %t\n", dir, err == nil)
	}
	var stat syscall.Stat_t
	fmt.Println("home belongs to", syscall.Stat("/home/rollstamp", &stat), stat.Uid, stat.Gid)
	_, err = os.Stat("/bin")
	fmt.Println("there is a /bin:", err == nil)
}
