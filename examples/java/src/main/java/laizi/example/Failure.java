package laizi.example;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Map;

/**
 * What the status of a failed call says, its details unpacked.
 *
 * @param reason the name of an ErrorReason without its prefix; empty when the failure does not come from the service: no
 *     connection, a deadline that passed, a cancelled call
 * @param field path of the wrong field, such as {@code hand.text}
 * @param metadata {@code position}, {@code limit} or {@code id}, where they exist
 * @param retryAfter after how long to try again; zero where the service does not say
 */
record Failure(
    Status.Code code, String message, String reason, String field, Map<String, String> metadata, Duration retryAfter) {

  static Failure of(StatusRuntimeException error) {
    String reason = "";
    String field = "";
    Map<String, String> metadata = Map.of();
    Duration retryAfter = Duration.ZERO;
    try {
      for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          ErrorInfo info = detail.unpack(ErrorInfo.class);
          reason = info.getReason();
          metadata = info.getMetadataMap();
        } else if (detail.is(BadRequest.class)) {
          for (BadRequest.FieldViolation violation : detail.unpack(BadRequest.class).getFieldViolationsList()) {
            field = violation.getField(); // the service names one
          }
        } else if (detail.is(RetryInfo.class)) {
          retryAfter = Duration.ofNanos(Durations.toNanos(detail.unpack(RetryInfo.class).getRetryDelay()));
        }
      }
    } catch (InvalidProtocolBufferException malformed) {
      error.addSuppressed(malformed);
      throw error;
    }
    Status status = error.getStatus();
    return new Failure(status.getCode(), status.getDescription(), reason, field, metadata, retryAfter);
  }
}
