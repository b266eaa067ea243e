package laizi.example;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import laizi.v1.DoudizhuServiceGrpc;
import laizi.v1.MahjongServiceGrpc;
import laizi.v1.RulesServiceGrpc;

/**
 * Sends every request of a file of cases and compares the answers with those of the file: {@code java -cp
 * target/laizi-client.jar laizi.example.Conformance ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED}.
 *
 * <p>Prints the cases that fail and exits with 0 when all pass, with 1 when some fail, with 2 when there is nothing to compare.
 */
public final class Conformance {
  private static final Map<String, MethodDescriptor<Message, Message>> METHODS =
      Stream.of(
              DoudizhuServiceGrpc.getServiceDescriptor(),
              MahjongServiceGrpc.getServiceDescriptor(),
              RulesServiceGrpc.getServiceDescriptor())
          .flatMap(service -> service.getMethods().stream())
          .collect(Collectors.toMap(MethodDescriptor::getFullMethodName, Conformance::ofMessages));

  private final ManagedChannel channel;
  private final Set<String> ignored; // full names of fields; comments of the file match none

  private Conformance(ManagedChannel channel, Set<String> ignored) {
    this.channel = channel;
    this.ignored = ignored;
  }

  /** One line of the file: it has an error, or as many responses as there are requests. */
  private record Case(
      String id,
      String rpc,
      JsonElement request,
      JsonElement response,
      List<JsonElement> requests,
      List<JsonElement> responses,
      Expected error) {}

  /** An error; a part that the line leaves out is empty. */
  private record Expected(String code, String reason, String field, Map<String, String> metadata) {
    boolean equalTo(Failure failure) {
      return failure.code().name().equals(code)
          && failure.reason().equals(Objects.requireNonNullElse(reason, ""))
          && failure.field().equals(Objects.requireNonNullElse(field, ""))
          && failure.metadata().equals(Objects.requireNonNullElse(metadata, Map.of()));
    }
  }

  /** The file or the service cannot be used. */
  private static final class Unusable extends Exception {
    private static final long serialVersionUID = 1;

    Unusable(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  public static void main(String[] arguments) {
    if (arguments.length != 4) {
      System.err.println("usage: Conformance ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED");
      System.exit(2);
    }
    try {
      System.exit(run(arguments[0], Path.of(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3])) > 0 ? 1 : 0);
    } catch (IOException | JsonParseException | Unusable error) {
      System.err.println("conformance: " + error);
      System.exit(2);
    }
  }

  private static int run(String addresses, Path serviceConfig, Path cases, Path ignored) throws IOException, Unusable {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    List<String> lines = Files.readAllLines(cases);
    if (lines.isEmpty()) {
      throw new Unusable(cases + " holds no cases");
    }
    int failed = 0;
    ManagedChannel channel = Channels.open(addresses, serviceConfig);
    try {
      Conformance conformance = new Conformance(channel, new HashSet<>(Files.readAllLines(ignored)));
      for (String line : lines) {
        Case test = new Gson().fromJson(line, Case.class);
        String difference = conformance.compare(test);
        if (!difference.isEmpty()) {
          failed++;
          out.println("FAIL " + test.id + " " + test.rpc + " " + difference);
        }
      }
    } finally {
      channel.shutdownNow();
    }
    out.println(lines.size() + " cases, " + failed + " failed");
    return failed;
  }

  /** Asks one case and describes how the answer differs from the one expected; empty when they are equal. */
  private String compare(Case test) throws InvalidProtocolBufferException, Unusable {
    MethodDescriptor<Message, Message> method = METHODS.get(test.rpc);
    if (method == null) {
      throw new Unusable(test.id + ": " + test.rpc + " is no method");
    }
    boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
    List<Message> requests =
        parse(method.getRequestMarshaller(), unary ? List.of(test.request) : test.requests);
    List<Message> answers;
    try {
      answers =
          unary
              ? List.of(ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, requests.get(0)))
              : converse(method, requests);
    } catch (StatusRuntimeException error) {
      return compareErrors(test, error);
    }

    if (test.error != null) {
      return "expected " + test.error + ", got " + text(answers);
    }
    List<Message> expected =
        cleared(parse(method.getResponseMarshaller(), unary ? List.of(test.response) : test.responses));
    answers = cleared(answers);
    return expected.equals(answers) ? "" : "expected " + text(expected) + ", got " + text(answers);
  }

  private static String compareErrors(Case test, StatusRuntimeException error) throws Unusable {
    Failure failure = Failure.of(error);
    if (failure.reason().isEmpty() && failure.code() == Status.Code.UNAVAILABLE) {
      throw new Unusable(test.id + ": the service cannot be reached: " + failure.message());
    }
    if (test.error != null && test.error.equalTo(failure)) {
      return "";
    }
    return "expected " + (test.error == null ? "an answer" : test.error) + ", got " + failure;
  }

  /** Sends all requests on one stream and returns the answers in the order of their correlation ids. */
  private List<Message> converse(MethodDescriptor<Message, Message> method, List<Message> requests) {
    List<Message> answers = new ArrayList<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
    StreamObserver<Message> stream =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(method, options),
            new StreamObserver<>() {
              @Override
              public void onNext(Message answer) {
                answers.add(answer);
              }

              @Override
              public void onError(Throwable error) {
                end.completeExceptionally(error);
              }

              @Override
              public void onCompleted() {
                end.complete(null);
              }
            });
    requests.forEach(stream::onNext);
    stream.onCompleted();
    try {
      end.join();
    } catch (CompletionException error) {
      throw Status.fromThrowable(error).asRuntimeException(Status.trailersFromThrowable(error));
    }
    answers.sort(Comparator.comparing(Conformance::correlationId, Long::compareUnsigned));
    return answers;
  }

  private static long correlationId(Message answer) {
    return (Long) answer.getField(answer.getDescriptorForType().findFieldByName("correlation_id"));
  }

  private List<Message> cleared(List<Message> messages) {
    return messages.stream().map(message -> clear(message.toBuilder()).build()).toList();
  }

  /** Removes every field that is not to be compared. */
  private Message.Builder clear(Message.Builder message) {
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (ignored.contains(field.getFullName())) {
        message.clearField(field);
      } else if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE || field.isMapField()) {
        continue; // the contract's only maps are those of Struct, in which nothing is ignored
      } else if (field.isRepeated()) {
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
          Message item = (Message) message.getRepeatedField(field, i);
          message.setRepeatedField(field, i, clear(item.toBuilder()).build());
        }
      } else {
        message.setField(field, clear(((Message) message.getField(field)).toBuilder()).build());
      }
    }
    return message;
  }

  private static List<Message> parse(Marshaller<Message> marshaller, List<JsonElement> texts)
      throws InvalidProtocolBufferException {
    Message prototype = ((PrototypeMarshaller<Message>) marshaller).getMessagePrototype();
    List<Message> messages = new ArrayList<>();
    for (JsonElement text : texts) {
      Message.Builder message = prototype.newBuilderForType();
      JsonFormat.parser().merge(text.toString(), message);
      messages.add(message.build());
    }
    return messages;
  }

  private static String text(List<Message> messages) throws InvalidProtocolBufferException {
    List<String> texts = new ArrayList<>();
    for (Message message : messages) {
      texts.add(JsonFormat.printer().omittingInsignificantWhitespace().print(message));
    }
    return String.join("\n", texts);
  }

  /** The generated descriptors know the types of their messages; here all messages are alike. */
  @SuppressWarnings("unchecked")
  private static MethodDescriptor<Message, Message> ofMessages(MethodDescriptor<?, ?> method) {
    return (MethodDescriptor<Message, Message>) method;
  }
}
