package bot;

public final class Main {
  public static void main(String[] arguments) {
    Connection.run(Bot.GAMES, Bot.MAX_MATCHES, Bot::new);
  }

  private Main() {}
}
