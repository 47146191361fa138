import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "./services.ts";

const said = (text: string): Answered => ({ result: text, isError: false });

interface Crossing {
  readonly ref: string;
  readonly port: string;
  readonly seats: number;
  readonly guests: { readonly ref: string; readonly name: string; aboard: boolean }[];
}

const PORTS = ["Oban", "Mallaig", "Kennacraig", "Port Ellen", "Ullapool"];
const NAMES = ["Ada Byron", "Grace Hopper", "Alan T.", "Barbara", "Ken (driver)", "Edsger D."];

/** Crossings and their guests, told in Markdown alone: a table of crossings, a list of guests with tick boxes. It starts empty. */
export class Ferry implements Service {
  readonly tools = ["plan_crossing", "crossings", "book_guest", "guests", "board_guest", "cancel_guest"];
  private readonly all: Crossing[] = [];
  private made = 0;
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  private ref(letter: string): string {
    this.made++;
    return `${letter}-7${(0x10000 + ((this.seed * 7919 + this.made * 104_729) % 0xeffff)).toString(16)}`;
  }

  call(tool: string, args: JsonObject): Answered {
    const count = (n: number): string => `${n} ${n === 1 ? "guest" : "guests"}`;
    if (tool === "plan_crossing") {
      const crossing = { ref: this.ref("c"), port: String(args.port), seats: Number(args.seats ?? 3), guests: [] };
      this.all.push(crossing);
      return said(`Crossing to **${crossing.port}** planned as ${crossing.ref}.`);
    }
    if (tool === "crossings") {
      if (this.all.length === 0) return said("No crossings yet.");
      const rows = this.all.map(
        ({ ref, port, seats, guests }) => `| ${ref} | ${port} | ${seats - guests.length} left |`,
      );
      return said(`## Crossings\n\n| Ref | Port | Seats |\n|---|---|---|\n${rows.join("\n")}`);
    }
    if (tool === "board_guest" || tool === "cancel_guest") {
      const crossing = this.all.find(({ guests }) => guests.some(({ ref }) => ref === args.guest_ref));
      const guest = crossing?.guests.find(({ ref }) => ref === args.guest_ref);
      if (!crossing || !guest) return said(`Error: no guest ${args.guest_ref}.`);
      if (tool === "cancel_guest") crossing.guests.splice(crossing.guests.indexOf(guest), 1);
      else guest.aboard = true;
      return said(
        tool === "cancel_guest" ? `Cancelled: ${guest.name}` : `${guest.name} is aboard for ${crossing.port}.`,
      );
    }
    const crossing = this.all.find(({ ref }) => ref === args.crossing_ref);
    if (!crossing) return said(`Error: no crossing ${args.crossing_ref}.`);
    if (tool === "book_guest") {
      if (crossing.guests.length >= crossing.seats) return said(`Error: ${crossing.ref} is full.`);
      const guest = { ref: this.ref("g"), name: String(args.name), aboard: false };
      crossing.guests.push(guest);
      return said(`Booked ${guest.name} as ${guest.ref}.`);
    }
    const lines = crossing.guests.map(({ ref, name, aboard }) => `- [${aboard ? "x" : " "}] ${name} (${ref})`);
    return said([`# ${crossing.port}: ${count(lines.length)}`, ...(lines.length > 0 ? ["", ...lines] : [])].join("\n"));
  }

  ask(random: Random): Asked {
    const refs = this.all.map(({ ref }) => ref);
    const guests = this.all.flatMap((crossing) => crossing.guests.map(({ ref }) => ref));
    const at = random.next();
    if (refs.length === 0 || at < 0.1) {
      if (refs.length === 0 && at < 0.15) return ["crossings", {}];
      return [
        "plan_crossing",
        { port: random.pick(PORTS), ...(random.chance(0.4) ? { seats: random.int(1, 4) } : {}) },
      ];
    }
    if (at < 0.25) return ["crossings", {}];
    const crossing_ref = random.chance(0.94) ? random.pick(refs) : "c-none";
    if (at < 0.5) return ["book_guest", { crossing_ref, name: random.pick(NAMES) }];
    if (at < 0.75) return ["guests", { crossing_ref }];
    const guest_ref = guests.length > 0 && random.chance(0.9) ? random.pick(guests) : "g-none";
    return [at < 0.9 ? "board_guest" : "cancel_guest", { guest_ref }];
  }
}
