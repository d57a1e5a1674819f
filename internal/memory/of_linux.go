package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Of returns the bytes of memory that another process has for itself; 0 where that cannot be found out, as after its
// end.
func Of(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text)) // in pages: all, resident, and of these what files have
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, errResident := strconv.ParseInt(fields[1], 10, 64)
	shared, errShared := strconv.ParseInt(fields[2], 10, 64)
	if errResident != nil || errShared != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
