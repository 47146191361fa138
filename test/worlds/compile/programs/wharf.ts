import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "./services.ts";

interface Crate {
  readonly crate_id: string;
  readonly goods: string;
  readonly kilos: number;
  state: string;
  opened: boolean;
}

const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
const refused = (text: string): Answered => ({ result: JSON.stringify({ error: text }), isError: true });

const GOODS = ["salt", "tar", "oranges", "rope", "glass"];
const STATES = ["waiting", "loaded", "lost"];

/**
 * Crates that are stowed under numbers after the largest one there: the answer tells the number alone. States are set
 * and never told by the call that sets them; readings count, add up and say a share; a text holds a line for each crate.
 */
export class Wharf implements Service {
  readonly tools = ["stow_crate", "set_state", "chain_crates", "discard_crate", "get_crate", "get_ledger", "get_tally"];
  private crates: Crate[] = [];
  /** The largest number that a crate ever had. */
  private most = 0;

  call(tool: string, args: JsonObject): Answered {
    if (tool === "stow_crate") return this.stow(String(args.goods), Number(args.kilos));
    if (tool === "get_ledger") return this.ledger();
    if (tool === "get_tally") return data({ tally: this.tally() });
    const crate = this.crates.find(({ crate_id }) => crate_id === args.crate_id);
    if (!crate) return refused(`Crate ${args.crate_id} not found`);
    if (tool === "get_crate") return data(crate);
    if (tool === "discard_crate") {
      this.crates = this.crates.filter((one) => one !== crate);
      return data({ discarded: true });
    }
    if (tool === "set_state") crate.state = String(args.state);
    else if (args.to === args.crate_id || !this.crates.some(({ crate_id }) => crate_id === args.to))
      return refused("These two cannot be chained");
    return data({ done: true });
  }

  private stow(goods: string, kilos: number): Answered {
    const crate_id = `crate-${Math.max(0, ...this.crates.map((one) => Number(one.crate_id.slice(6)))) + 1}`;
    this.most = Math.max(this.most, Number(crate_id.slice(6)));
    this.crates.push({ crate_id, goods, kilos, state: "waiting", opened: false });
    return data({ crate_id });
  }

  private ledger(): Answered {
    const loaded = this.crates.filter(({ state }) => state === "loaded").length;
    const share = this.crates.length === 0 ? 0 : Math.round((100 * loaded) / this.crates.length);
    const kept = this.crates.filter(({ state }) => state !== "lost");
    const kilos = kept.reduce((sum, one) => sum + one.kilos, 0);
    return data({ crates: this.crates.length, loaded, loaded_percent: share, kilos_kept: kilos });
  }

  private tally(): string {
    const lines = this.crates.map(({ crate_id, goods, state }) => `[${crate_id}] of ${goods} is ${state}`);
    return lines.length === 0 ? "Tally of the wharf\n(bare boards)" : `Tally of the wharf\n${lines.join("\n")}`;
  }

  ask(random: Random): Asked {
    const known = this.crates.map(({ crate_id }) => crate_id);
    const one = (): string =>
      known.length > 0 && random.chance(0.85)
        ? random.pick(known)
        : this.most === 0
          ? "crate-99"
          : `crate-${random.int(1, this.most)}`;
    if (random.chance(0.27)) return ["stow_crate", { goods: random.pick(GOODS), kilos: random.int(1, 12) * 5 }];
    if (random.chance(0.25)) return ["set_state", { crate_id: one(), state: random.pick(STATES) }];
    if (random.chance(0.2)) return ["chain_crates", { crate_id: one(), to: one() }];
    if (random.chance(0.15)) return ["discard_crate", { crate_id: one() }];
    if (random.chance(0.35)) return ["get_ledger", {}];
    return random.chance(0.5) ? ["get_tally", {}] : ["get_crate", { crate_id: one() }];
  }
}

/** Birds on a wire, told in an order that nobody outside can know. */
export class Wire implements Service {
  readonly tools = ["land_bird", "get_birds"];
  private readonly birds: { bird_id: string; kind: string }[] = [];
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  call(tool: string, { kind }: JsonObject): Answered {
    if (tool === "get_birds") return data({ birds: this.birds });
    const bird = { bird_id: `bird-${this.birds.length + 1}`, kind: String(kind) };
    this.birds.splice(this.random.int(0, this.birds.length), 0, bird);
    return data(bird);
  }

  ask(random: Random): Asked {
    return random.chance(0.4) ? ["land_bird", { kind: random.pick(["wren", "swift", "rook"]) }] : ["get_birds", {}];
  }
}

/** A kiln whose listing names three glazes: others, and amounts that are nothing, are turned away. */
export class Kiln implements Service {
  readonly tools = ["glaze_pots", "get_glazed"];
  private pots = 0;

  call(tool: string, { pots }: JsonObject): Answered {
    if (tool === "glaze_pots") {
      if (Number(pots) > 40) return refused("Too many pots");
      this.pots += Number(pots);
    }
    return data({ glazed: this.pots });
  }

  ask(random: Random): Asked {
    if (random.chance(0.4)) return ["get_glazed", {}];
    const pots = random.chance(0.1) ? 45 : random.int(1, 8) * 5;
    return ["glaze_pots", { glaze: random.pick(["celadon", "ash", "tenmoku"]), pots } satisfies Record<string, Json>];
  }
}
