// Package laizi connects to the laizi service and unpacks its errors.
package laizi

import (
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

const maxMessageBytes = 64 << 20

// Dial returns a connection over all addresses, host:port with commas between them. It connects with the first call.
//
// serviceConfig is the JSON text of a gRPC service config: balancing, retries and the deadline of each method. A deadline of
// the context counts when it is earlier. The connection is not encrypted.
func Dial(addresses, serviceConfig string) (*grpc.ClientConn, error) {
	return grpc.NewClient(
		"laizi:///",
		grpc.WithResolvers(fixed(addresses)),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig),
		// Finds a dead peer behind a silent network, also between calls. The service permits a ping every ten seconds.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 30 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true,
		}),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes),
		),
	)
}

// fixed resolves every name to the addresses. Where a DNS name has all of them, the target "dns:///name:port" needs no resolver.
func fixed(addresses string) resolver.Builder {
	var state resolver.State
	for _, address := range strings.Split(addresses, ",") {
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: address}}})
	}
	builder := manual.NewBuilderWithScheme("laizi")
	builder.InitialState(state)
	return builder
}
