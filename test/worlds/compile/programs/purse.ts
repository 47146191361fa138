import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "./services.ts";

const MONEY = [80.5, 300, 45.25, 1200];

/** A stall with a purse: every task starts with another sum, and nobody reads it before most purchases that are refused. */
export class Purse implements Service {
  readonly tools = [
    "show_purse",
    "reserve_goods",
    "show_goods",
    "show_stamps",
    "close_stall",
    "open_stall",
    "goods_list",
  ];
  private money: number;
  private inside = true;
  private stamps = 3;
  private readonly goods: { goods_no: number; price: number; count: number }[] = [];

  constructor(task: number) {
    this.money = MONEY[task] ?? 500;
  }

  call(tool: string, { price, count, goods_no }: JsonObject): Answered {
    if (tool === "close_stall" || tool === "open_stall") {
      this.inside = tool === "open_stall";
      return data({ done: true });
    }
    if (tool === "show_goods") {
      const row = this.goods.find((one) => one.goods_no === goods_no);
      return row ? data(row) : refused(`There are no goods ${goods_no}.`);
    }
    if (!this.inside) {
      const what =
        { show_purse: "see the purse", reserve_goods: "reserve", show_stamps: "see stamps" }[tool] ?? "see it";
      if (tool === "goods_list") return data([`Error: The stall is closed. Open it to ${what}.`]);
      return refused(`The stall is closed. Open it to ${what}.`);
    }
    if (tool === "show_purse") return data({ money: this.money });
    if (tool === "show_stamps") return data({ stamps: this.stamps });
    if (tool === "goods_list") return data({ numbers: [9, "first", ...this.goods.map((one) => one.goods_no)] });
    const needed = Number((Number(price) * Number(count)).toFixed(2));
    if (needed > this.money)
      return refused(`Too little money: ${needed.toFixed(2)} needed, ${this.money.toFixed(2)} there.`);
    const row = { goods_no: 501 + this.goods.length, price: Number(price), count: Number(count) };
    this.goods.push(row);
    return data({ ...row, state: "reserved" });
  }

  ask(random: Random): Asked {
    if (random.chance(0.4))
      return ["reserve_goods", { price: random.int(1, 40) + 0.25, count: random.int(1, random.chance(0.2) ? 60 : 4) }];
    if (random.chance(0.3)) return ["show_goods", { goods_no: 500 + random.int(1, this.goods.length + 1) }];
    if (random.chance(0.2)) return [this.inside ? "close_stall" : "open_stall", {}];
    if (random.chance(0.3)) return ["goods_list", {}];
    return [random.chance(0.5) ? "show_purse" : "show_stamps", {}];
  }
}
