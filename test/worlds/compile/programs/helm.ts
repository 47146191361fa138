import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, type Service } from "./services.ts";

const text = (result: string): Answered => ({ result, isError: false });

/** A boat's helm: switches that say what they left, and a panel that says all of it, or nothing without power. */
export class Helm implements Service {
  readonly tools = ["toggle_power", "toggle_lights", "switch_pump", "set_radar", "sail", "view_panel"];
  private power: boolean;
  private lights: boolean;
  private pump: boolean;
  private radar: boolean;
  private at: string;

  constructor(task: number) {
    this.power = task !== 1;
    this.lights = task % 2 === 0;
    this.pump = task > 1;
    this.radar = task === 3;
    this.at = task === 0 ? "Harbour" : "Open sea";
  }

  call(tool: string, { on, to }: JsonObject): Answered {
    const word = (is: boolean): string => (is ? "ON" : "OFF");
    if (tool === "toggle_power") {
      this.power = !this.power;
      return text(`Main power is ${word(this.power)} now.`);
    }
    if (tool === "toggle_lights") {
      this.lights = !this.lights;
      return text(`Lights are ${word(this.lights)}.`);
    }
    if (tool === "switch_pump") {
      this.pump = !this.pump;
      return data({ pump: this.pump ? "running" : "still" });
    }
    if (tool === "set_radar") {
      this.radar = on === true;
      return text("Done.");
    }
    if (tool === "sail") {
      this.at = String(to);
      return text(`Under way to ${to}.`);
    }
    if (!this.power) return text("Dark");
    return text([`At: ${this.at}`, `Lights: ${word(this.lights)}`, ...(this.radar ? ["Radar: up"] : [])].join("\n"));
  }

  ask(random: Random): Asked {
    if (random.chance(0.45)) return ["view_panel", {}];
    const n = random.int(0, 9);
    if (n < 3) return ["toggle_lights", {}];
    if (n < 4) return ["toggle_power", {}];
    if (n < 6) return ["switch_pump", {}];
    if (n < 8) return ["set_radar", { on: random.chance(0.5) }];
    return ["sail", { to: random.chance(0.5) ? "Harbour" : "Open sea" }];
  }
}

interface Job {
  readonly no: number;
  readonly title: string;
  readonly owner: string;
  readonly days: number;
  state: string;
  readonly notes: { by: string; text: string }[];
}

const WORKERS = ["ann", "bea", "col"];

/** Jobs of a yard: everybody lists their own ones, which show how many notes each has and not whose it is. */
export class Yard implements Service {
  readonly tools = ["who_am_i", "sign_in", "sign_out", "list_own_jobs", "show_job", "add_note", "close_job"];
  private readonly jobs: Job[] = Array.from({ length: 9 }, (_, i) => ({
    no: 41 + i,
    title: ["Mast", "Keel", "Sail", "Rope"][i % 4] as string,
    owner: WORKERS[i % 3] as string,
    days: ((i * 5) % 9) + 1,
    state: i % 4 === 0 ? "closed" : "open",
    notes: i % 3 === 0 ? [{ by: "ann", text: "Wet." }] : [],
  }));
  private user: string | null;

  constructor(task: number) {
    this.user = WORKERS[task % 3] as string;
  }

  call(tool: string, { user, no, words, state }: JsonObject): Answered {
    if (tool === "who_am_i") return data({ user: this.user });
    if (tool === "sign_in" || tool === "sign_out") {
      this.user = tool === "sign_in" ? String(user) : null;
      return data({ user: this.user });
    }
    if (this.user === null) return { result: "Error: sign in first.", isError: true };
    if (tool === "list_own_jobs") {
      const own = this.jobs.filter((job) => job.owner === this.user && (state === undefined || job.state === state));
      own.sort((a, b) => a.days - b.days);
      return data(own.map(({ no, title, days, state, notes }) => ({ no, title, days, state, notes: notes.length })));
    }
    const job = this.jobs.find((one) => one.no === no && one.owner === this.user);
    if (!job) return { result: `Error: job ${no} is not one of yours.`, isError: true };
    if (tool === "show_job") return data(job);
    if (tool === "close_job") job.state = "closed";
    else job.notes.push({ by: this.user, text: String(words) });
    return data(tool === "close_job" ? { no, state: job.state } : { no, notes: job.notes.length });
  }

  ask(random: Random): Asked {
    const no = 41 + random.int(0, 8);
    const n = random.int(0, 19);
    if (n < 2) return ["who_am_i", {}];
    // Nobody was seen asking for anything without being signed in.
    if (this.user === null || n < 5) return ["sign_in", { user: WORKERS[random.int(0, 2)] as string }];
    if (n === 5 && random.chance(0.3)) return ["sign_out", {}];
    if (n < 10) return ["list_own_jobs", random.chance(0.4) ? { state: random.chance(0.5) ? "open" : "closed" } : {}];
    if (n < 15) return ["show_job", { no }];
    if (n < 18) return ["add_note", { no, words: random.chance(0.5) ? "Dry." : "Torn." }];
    return ["close_job", { no }];
  }
}
