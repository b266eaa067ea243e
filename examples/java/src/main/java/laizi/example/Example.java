package laizi.example;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import laizi.v1.DoudizhuServiceGrpc;
import laizi.v1.MahjongServiceGrpc;

/** Asks a laizi service about both games: {@code java -jar target/laizi-client.jar ADDRESS[,ADDRESS...] SERVICE_CONFIG}. */
public final class Example {
  private Example() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: laizi-client.jar ADDRESS[,ADDRESS...] SERVICE_CONFIG");
      System.exit(2);
    }
    ManagedChannel channel = Channels.open(arguments[0], Path.of(arguments[1]));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try {
      ask(channel, new Printing(out));
    } catch (StatusRuntimeException error) {
      System.err.println("example: " + error.getMessage());
      System.exit(1);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void ask(ManagedChannel channel, Printing print) {
    // Round robin over the addresses, retries and the deadline of each method come from the service config.
    var doudizhu = DoudizhuServiceGrpc.newBlockingStub(channel);
    var mahjong = MahjongServiceGrpc.newBlockingStub(channel);

    print.title("ReadPlay");
    print.readPlay(doudizhu.readPlay(Questions.READ));
    print.readPlay(doudizhu.readPlay(Questions.READ_REFUSED));
    print.title("ComparePlays");
    print.comparePlays(doudizhu.comparePlays(Questions.COMPARE));
    print.title("ListPlays");
    print.listPlays(doudizhu.listPlays(Questions.LIST));
    print.title("SettleGame");
    print.settleGame(doudizhu.settleGame(Questions.SETTLE_GAME));
    print.title("CheckHu");
    print.checkHu(mahjong.checkHu(Questions.HU));
    print.checkHu(mahjong.checkHu(Questions.HU_REFUSED));
    print.title("SettleHand");
    print.settleHand(mahjong.settleHand(Questions.SETTLE_HAND));
    print.title("BatchReadPlays");
    print.batch(doudizhu.batchReadPlays(Questions.BATCH));
    print.title("ReadPlayColumns");
    print.cardColumns(doudizhu.readPlayColumns(Questions.CARD_COLUMNS));
    print.title("CheckHuColumns");
    print.tileColumns(mahjong.checkHuColumns(Questions.TILE_COLUMNS));

    // Errors are for the caller to handle. These three are never sent again: only UNAVAILABLE is.
    print.title("Errors");
    for (Questions.Failing call : Questions.FAILING) {
      try {
        doudizhu.withDeadlineAfter(call.timeoutSeconds(), TimeUnit.SECONDS).readPlay(call.request());
      } catch (StatusRuntimeException error) {
        print.failed(Failure.of(error));
      }
    }
  }
}
