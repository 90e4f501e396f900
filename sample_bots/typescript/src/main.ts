import { Bot } from "./bot.js";
import { run } from "./connection.js";

run(Bot);
