package laizi.example;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Resolves targets such as {@code fixed:///10.0.0.1:50051,10.0.0.2:50051} to exactly these addresses. */
final class FixedAddresses extends NameResolverProvider {
  private static final String SCHEME = "fixed";

  static String target(String addresses) {
    return SCHEME + ":///" + addresses;
  }

  @Override
  public NameResolver newNameResolver(URI target, NameResolver.Args args) {
    if (!SCHEME.equals(target.getScheme())) {
      return null;
    }
    List<EquivalentAddressGroup> groups =
        Arrays.stream(target.getPath().substring(1).split(",")).map(FixedAddresses::group).toList();
    return new NameResolver() {
      @Override
      public String getServiceAuthority() {
        return "laizi";
      }

      @Override
      public void start(Listener2 listener) {
        listener.onResult2(ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(groups)).build());
      }

      @Override
      public void shutdown() {}
    };
  }

  private static EquivalentAddressGroup group(String address) {
    int colon = address.lastIndexOf(':');
    int port = Integer.parseInt(address.substring(colon + 1));
    return new EquivalentAddressGroup(new InetSocketAddress(address.substring(0, colon), port));
  }

  @Override
  public String getDefaultScheme() {
    return SCHEME;
  }

  @Override
  public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
    return List.of(InetSocketAddress.class);
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return 4; // below DNS, which stays the scheme of targets without one
  }
}
