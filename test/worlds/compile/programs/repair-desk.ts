import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "./services.ts";

/** A repair desk that says all it says in text: records as labelled lines, and the number of what it made in a sentence. */
export class RepairDesk implements Service {
  readonly tools = ["open_repair", "show_repair", "set_price", "close_repair"];
  private readonly rows = new Map<number, { item: string; owner: string; price: number; state: string }>();
  private next = 801;

  call(tool: string, { repair_no, item, owner, price }: JsonObject): Answered {
    const text = (result: string): Answered => ({ result, isError: false });
    if (tool === "open_repair") {
      this.rows.set(this.next, { item: String(item), owner: String(owner), price: 0, state: "open" });
      return text(`Opened repair #${this.next++} for ${owner}.`);
    }
    const row = this.rows.get(Number(repair_no));
    if (!row) return { result: `Error: there is no repair ${repair_no}.`, isError: true };
    if (tool === "show_repair")
      return text(
        `Item: ${row.item}\nOwner: ${row.owner}\nPrice: $${row.price} net\nState: ${row.state}\nClosed by hand`,
      );
    if (row.state === "closed") return { result: `Error: repair ${repair_no} is closed.`, isError: true };
    if (tool === "set_price") row.price = Number(price);
    else row.state = "closed";
    return text(tool === "set_price" ? `Price of repair ${repair_no} set.` : `Repair ${repair_no} is closed now.`);
  }

  ask(random: Random): Asked {
    const repair_no = random.chance(0.05) ? 700 : random.chance(0.7) ? this.next - 1 : this.next - 2;
    const owner = ["Ada", "Bo", "Cy", "Di"][random.int(0, 3)] as string;
    const item = ["a lamp", "a chair: the red one", "two clocks"][random.int(0, 2)] as string;
    if (random.chance(0.3)) return ["open_repair", { item, owner }];
    if (random.chance(0.55)) return ["show_repair", { repair_no }];
    return random.chance(0.6)
      ? ["set_price", { repair_no, price: random.int(1, 30) * 5 }]
      : ["close_repair", { repair_no }];
  }
}
