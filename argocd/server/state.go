package server

import (
	"context"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"

	"github.com/rollstamp/rollstamp/files"
)

// Server answers the calls of Argo CD's repository server.
type Server struct {
	opts      Options
	waiting   *semaphore.Weighted // bytes of uploads
	trees     *semaphore.Weighted // bytes of trees
	turns     *turns
	flights   flights[outcome]
	treeCache *cache[*files.Memory] // by archive
	replies   replies
	pauses    *cache[pause] // by upload
	metrics   metrics
	health    *health.Server
	grpc      *grpc.Server
	ended     context.Context // when the server ends itself
	end       context.CancelCauseFunc
}
