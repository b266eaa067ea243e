package laizi.example;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.NameResolverRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Connects to the laizi service. */
final class Channels {
  private static final int MAX_MESSAGE_BYTES = 64 << 20;

  static {
    NameResolverRegistry.getDefaultRegistry().register(new FixedAddresses());
  }

  private Channels() {}

  /**
   * Opens a channel over all addresses, {@code host:port} with commas between them. It connects with the first call. Where a DNS
   * name has all of them, the target {@code dns:///name:port} does the same. The connection is not encrypted.
   *
   * @param serviceConfig a gRPC service config in JSON: balancing, retries and the deadline of each method. A deadline of the
   *     stub counts when it is earlier.
   */
  static ManagedChannel open(String addresses, Path serviceConfig) throws IOException {
    // Gson reads every number as a Double, as gRPC wants it.
    Map<String, Object> config =
        new Gson().fromJson(Files.readString(serviceConfig), new TypeToken<Map<String, Object>>() {}.getType());
    return ManagedChannelBuilder.forTarget(FixedAddresses.target(addresses))
        .usePlaintext()
        .defaultServiceConfig(config)
        .enableRetry()
        // Finds a dead peer behind a silent network, also between calls. The service permits a ping every ten seconds.
        .keepAliveTime(30, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(true)
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .build();
  }
}
