// Command conformance sends every request of a file of cases and compares the answers with those of the file:
//
//	conformance ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED
//
// It prints the cases that fail and exits with 0 when all pass, with 1 when some fail, with 2 when there is nothing to compare.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "laizi.example/client/gen/laizi/v1" // registers every method and message
	"laizi.example/client/laizi"
)

// A testCase is one line of the file. It has an error, or as many responses as there are requests.
type testCase struct {
	ID        string            `json:"id"`
	RPC       string            `json:"rpc"`
	Request   json.RawMessage   `json:"request"`
	Response  json.RawMessage   `json:"response"`
	Requests  []json.RawMessage `json:"requests"`
	Responses []json.RawMessage `json:"responses"`
	Error     *struct {
		Code     string            `json:"code"`
		Reason   string            `json:"reason"`
		Field    string            `json:"field"`
		Metadata map[string]string `json:"metadata"`
	} `json:"error"`
}

// errUnavailable tells that the service, and not the engine, is what fails.
var errUnavailable = errors.New("the service cannot be reached")

type runner struct {
	connection *grpc.ClientConn
	ignored    map[protoreflect.FullName]bool // comments of the file match no field
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: conformance ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED")
		os.Exit(2)
	}
	failed, err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	case failed > 0:
		os.Exit(1)
	}
}

func run(addresses, serviceConfigFile, casesFile, ignoredFile string) (failed int, err error) {
	serviceConfig, err := os.ReadFile(serviceConfigFile)
	if err != nil {
		return 0, err
	}
	ignored, err := os.ReadFile(ignoredFile)
	if err != nil {
		return 0, err
	}
	lines, err := os.ReadFile(casesFile)
	if err != nil {
		return 0, err
	}
	connection, err := laizi.Dial(addresses, string(serviceConfig))
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	runner := runner{connection: connection, ignored: map[protoreflect.FullName]bool{}}
	for name := range strings.Lines(string(ignored)) {
		runner.ignored[protoreflect.FullName(strings.TrimSpace(name))] = true
	}

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	count := 0
	for line := range bytes.Lines(lines) {
		var test testCase
		if err := json.Unmarshal(line, &test); err != nil {
			return failed, fmt.Errorf("%s, case %d: %w", casesFile, count+1, err)
		}
		difference, err := runner.compare(test)
		if err != nil {
			return failed, fmt.Errorf("%s, %s: %w", casesFile, test.ID, err)
		}
		if difference != "" {
			failed++
			fmt.Fprintf(out, "FAIL %s %s %s\n", test.ID, test.RPC, difference)
		}
		count++
	}
	if count == 0 {
		return 0, fmt.Errorf("%s holds no cases", casesFile)
	}
	fmt.Fprintf(out, "%d cases, %d failed\n", count, failed)
	return failed, nil
}

// compare asks one case and describes how the answer differs from the one expected; it is empty when they are equal.
func (r runner) compare(test testCase) (difference string, err error) {
	service, name, _ := strings.Cut(test.RPC, "/")
	descriptor, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service + "." + name))
	if err != nil {
		return "", err
	}
	method, ok := descriptor.(protoreflect.MethodDescriptor)
	if !ok {
		return "", fmt.Errorf("%s is no method", test.RPC)
	}
	streams := method.IsStreamingClient()
	if !streams {
		test.Requests = []json.RawMessage{test.Request}
		test.Responses = []json.RawMessage{test.Response}
	}
	requests, err := parse(method.Input(), test.Requests)
	if err != nil {
		return "", err
	}

	// The service config sets the deadline of every call but a stream.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var answers []proto.Message
	if streams {
		answers, err = r.stream(ctx, test.RPC, method.Output(), requests)
	} else {
		answers, err = r.unary(ctx, test.RPC, method.Output(), requests[0])
	}
	if test.Error != nil || err != nil {
		return compareErrors(test, answers, err)
	}
	expected, err := parse(method.Output(), test.Responses)
	if err != nil {
		return "", err
	}
	for _, message := range slices.Concat(expected, answers) {
		r.clear(message.ProtoReflect())
	}
	if !slices.EqualFunc(expected, answers, proto.Equal) {
		return fmt.Sprintf("expected %s, got %s", text(expected), text(answers)), nil
	}
	return "", nil
}

func compareErrors(test testCase, answers []proto.Message, err error) (difference string, _ error) {
	if err == nil {
		return fmt.Sprintf("expected %s, got %s", test.Error.Reason, text(answers)), nil
	}
	failure := laizi.FailureOf(err)
	if failure.Reason == "" && status.Code(err) == codes.Unavailable {
		return "", fmt.Errorf("%w: %s", errUnavailable, failure.Message)
	}
	got := fmt.Sprintf("%s %s in %q %v: %s", failure.Code, failure.Reason, failure.Field, failure.Metadata, failure.Message)
	if test.Error == nil {
		return "expected an answer, got " + got, nil
	}
	if want := test.Error; failure.Code != want.Code || failure.Reason != want.Reason || failure.Field != want.Field ||
		!maps.Equal(failure.Metadata, want.Metadata) {
		return fmt.Sprintf("expected %s %s in %q %v, got %s", want.Code, want.Reason, want.Field, want.Metadata, got), nil
	}
	return "", nil
}

func (r runner) unary(
	ctx context.Context, rpc string, output protoreflect.MessageDescriptor, request proto.Message,
) ([]proto.Message, error) {
	answer, err := message(output)
	if err != nil {
		return nil, err
	}
	return []proto.Message{answer}, r.connection.Invoke(ctx, "/"+rpc, request, answer)
}

// stream sends all requests and returns the answers in the order of their correlation ids.
func (r runner) stream(
	ctx context.Context, rpc string, output protoreflect.MessageDescriptor, requests []proto.Message,
) (answers []proto.Message, err error) {
	both := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	stream, err := r.connection.NewStream(ctx, both, "/"+rpc)
	if err != nil {
		return nil, err
	}
	for _, request := range requests {
		// io.EOF tells that the service ended the call; receiving tells why.
		if err := stream.SendMsg(request); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	for {
		answer, err := message(output)
		if err != nil {
			return nil, err
		}
		switch err := stream.RecvMsg(answer); err {
		case nil:
			answers = append(answers, answer)
		case io.EOF:
			slices.SortStableFunc(answers, func(a, b proto.Message) int { return cmp.Compare(id(a), id(b)) })
			return answers, nil
		default:
			return nil, err
		}
	}
}

// id is the correlation id of an answer.
func id(message proto.Message) uint64 {
	reflected := message.ProtoReflect()
	return reflected.Get(reflected.Descriptor().Fields().ByName("correlation_id")).Uint()
}

// clear removes every field that is not to be compared.
func (r runner) clear(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case r.ignored[field.FullName()]:
			message.Clear(field)
		case field.Message() == nil:
		case field.IsMap():
			if field.MapValue().Message() != nil {
				value.Map().Range(func(_ protoreflect.MapKey, item protoreflect.Value) bool {
					r.clear(item.Message())
					return true
				})
			}
		case field.IsList():
			for i := range value.List().Len() {
				r.clear(value.List().Get(i).Message())
			}
		default:
			r.clear(value.Message())
		}
		return true
	})
}

func message(descriptor protoreflect.MessageDescriptor) (proto.Message, error) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
	if err != nil {
		return nil, err
	}
	return kind.New().Interface(), nil
}

func parse(descriptor protoreflect.MessageDescriptor, texts []json.RawMessage) ([]proto.Message, error) {
	messages := make([]proto.Message, len(texts))
	for i, text := range texts {
		parsed, err := message(descriptor)
		if err != nil {
			return nil, err
		}
		if err := protojson.Unmarshal(text, parsed); err != nil {
			return nil, err
		}
		messages[i] = parsed
	}
	return messages, nil
}

func text(messages []proto.Message) string {
	texts := make([]string, len(messages))
	for i, message := range messages {
		texts[i] = protojson.Format(message)
	}
	return strings.Join(texts, "\n")
}
