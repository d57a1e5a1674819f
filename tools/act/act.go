// Package act stands beside the pin of act, whose program is built in this folder.
package act
