package laizi

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// Failure is what the status of a failed call says, its details unpacked.
type Failure struct {
	// Code is the gRPC code in its usual spelling, such as INVALID_ARGUMENT.
	Code    string
	Message string
	// Reason is the name of an ErrorReason without its prefix. It is empty when the failure does not come from the service:
	// no connection, a deadline that passed, a cancelled call.
	Reason string
	// Field is the path of the wrong field, such as hand.text.
	Field string
	// Metadata holds position, limit or id, where they exist.
	Metadata map[string]string
	// RetryAfter tells after how long to try again, where the service says so.
	RetryAfter time.Duration
}

// FailureOf unpacks the error that a call returned.
func FailureOf(err error) Failure {
	state := status.Convert(err)
	failure := Failure{Code: code.Code(state.Code()).String(), Message: state.Message()}
	for _, detail := range state.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			failure.Reason, failure.Metadata = detail.Reason, detail.Metadata
		case *errdetails.BadRequest:
			for _, violation := range detail.FieldViolations {
				failure.Field = violation.Field // the service names one
			}
		case *errdetails.RetryInfo:
			failure.RetryAfter = detail.RetryDelay.AsDuration()
		}
	}
	return failure
}
