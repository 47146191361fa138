import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "./services.ts";

const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
const refused = (text: string): Answered => ({ result: JSON.stringify({ error: text }), isError: true });

interface Plot {
  plot_id: number;
  crop: string;
  remark: string;
  rows: number;
  digger: string | null;
}

/** Plots with numbers that go on from other ones in every task, changed by nested fields, dug by who signed in. */
export class Garden implements Service {
  readonly tools = ["sign_in", "who_digs", "dig_plot", "change_plot", "get_plot"];
  private readonly plots = new Map<number, Plot>();
  private gardener: string | null = null;
  private next: number;

  constructor(task: number) {
    this.next = 21 + task * 2;
    this.plots.set(20, { plot_id: 20, crop: "kale", remark: "", rows: 3, digger: "Ode" });
  }

  call(tool: string, args: JsonObject): Answered {
    if (tool === "sign_in") {
      this.gardener = String(args.gardener);
      return data({ done: true });
    }
    if (tool === "who_digs") return data({ gardener: this.gardener, digging: this.gardener !== null });
    if (tool === "dig_plot") {
      if (this.gardener === null) return refused("Nobody has signed in to dig.");
      const { crop, remark, rows } = args;
      const plot: Plot = {
        plot_id: this.next,
        crop: String(crop),
        remark: remark === undefined ? "" : String(remark),
        rows: rows === undefined ? 1 : Number(rows),
        digger: this.gardener,
      };
      this.plots.set(this.next++, plot);
      return data(plot);
    }
    const plot = this.plots.get(Number(args.plot_id));
    if (!plot) return refused(`There is no plot ${args.plot_id}.`);
    if (tool === "change_plot") {
      Object.assign(plot, args.changes);
      return data({ changed: true });
    }
    return data(plot);
  }

  ask(random: Random): Asked {
    const plot_id = random.chance(0.9) ? random.pick([...this.plots.keys()]) : 90;
    const at = random.next();
    const crop = random.pick(["leek", "chard", "beans", "dill", "marrow", "sorrel"]);
    if (this.gardener === null) {
      if (at < 0.6) return ["sign_in", { gardener: random.pick(["Ode", "Finn", "Rut"]) }];
      return at < 0.65 ? ["who_digs", {}] : at < 0.75 ? ["dig_plot", { crop }] : ["get_plot", { plot_id }];
    }
    if (at < 0.1) return ["who_digs", {}];
    if (at < 0.3) {
      const remark = random.chance(0.7) ? { remark: random.pick(["shady", "near the well", "stony"]) } : {};
      return ["dig_plot", { crop, ...remark, ...(random.chance(0.5) ? { rows: random.int(2, 6) } : {}) }];
    }
    if (at > 0.6) return ["get_plot", { plot_id }];
    const changes = {
      ...(random.chance(0.5) ? { crop } : {}),
      ...(random.chance(0.5) ? { rows: random.int(1, 9) } : {}),
    };
    return ["change_plot", { plot_id, changes: Object.keys(changes).length > 0 ? changes : { remark: "weeded" } }];
  }
}
