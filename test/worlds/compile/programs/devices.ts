import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "./services.ts";

const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
const refused = (text: string): Answered => ({ result: JSON.stringify({ error: text }), isError: true });

/** A machine of which each act tells what it set. The panel is looked at seldom, and never shows the guard or the lamp. */
export class Lathe implements Service {
  readonly tools = [
    "start_spindle",
    "stop_spindle",
    "lower_guard",
    "raise_guard",
    "set_lamp",
    "show_panel",
    "get_serial",
  ];
  private spindle: "turning" | "still";
  private rpm: number;
  private guard = "up";

  constructor(task: number) {
    this.spindle = task % 2 === 0 ? "still" : "turning";
    this.rpm = this.spindle === "still" ? 0 : ([0, 250, 0, 400][task] as number);
  }

  call(tool: string, { speed, mode }: JsonObject): Answered {
    if (tool === "get_serial") return data({ serial: "LT-20931" });
    if (tool === "show_panel") return data({ spindle: this.spindle, rpm: this.rpm });
    if (tool === "set_lamp") return data({ lampStatus: mode });
    if (tool === "lower_guard" || tool === "raise_guard") {
      this.guard = tool === "lower_guard" ? "down" : "up";
      return data({ guard: this.guard });
    }
    this.spindle = tool === "start_spindle" ? "turning" : "still";
    this.rpm = tool === "start_spindle" ? Number(speed) : 0;
    return data({ spindle: this.spindle, rpm: this.rpm });
  }

  ask(random: Random): Asked {
    const drawn = random.int(1, 20);
    if (drawn <= 3) return ["start_spindle", { speed: random.pick([100, 250, 400, 650, 900]) }];
    if (drawn <= 5) return ["stop_spindle", {}];
    if (drawn <= 8) return [random.chance(0.5) ? "lower_guard" : "raise_guard", {}];
    if (drawn <= 10) return ["set_lamp", { mode: random.pick(["off", "dim", "bright"]) }];
    return [drawn <= 12 ? "show_panel" : "get_serial", {}];
  }
}

/** A cabinet that nobody can ask whether it is locked: it shows in what it refuses. */
export class Cabinet implements Service {
  readonly tools = ["unlock_cabinet", "lock_cabinet", "take_reel", "get_reels"];
  private locked: boolean;
  private reels = 9;

  constructor(task: number) {
    this.locked = task < 2;
  }

  call(tool: string, _args: JsonObject): Answered {
    if (tool === "unlock_cabinet" || tool === "lock_cabinet") {
      this.locked = tool === "lock_cabinet";
      return data({ done: true });
    }
    if (this.locked)
      return refused(`The cabinet is shut now. Unlock it to ${tool === "take_reel" ? "take" : "count"}.`);
    if (tool === "take_reel" && this.reels > 0) this.reels--;
    return data(tool === "take_reel" ? { taken: true } : { reels: this.reels });
  }

  ask(random: Random): Asked {
    const drawn = random.int(1, 10);
    if (drawn <= 2) return [drawn === 1 ? "unlock_cabinet" : "lock_cabinet", {}];
    return [drawn <= 5 ? "take_reel" : "get_reels", {}];
  }
}

const MEMBERS = ["M-71", "M-20", "M-48"];

interface Ticket {
  readonly ticket_id: number;
  readonly seat: string;
}

/** Members who are told apart by what a login says, a purse, tickets under counted ids, and a list of wishes. */
export class BoxOffice implements Service {
  readonly tools = [
    "desk_login",
    "deposit",
    "get_purse",
    "buy_ticket",
    "get_ticket",
    "get_tickets",
    "wish",
    "get_wishes",
  ];
  private member: string | null = null;
  private purse: number;
  private readonly tickets: Ticket[];
  private readonly wishes: string[];
  private next = 501;

  constructor(task: number) {
    this.purse = [40, 75, 120, 15][task] as number;
    this.wishes = [["Otello"], ["Norma", "Tosca"], [], ["Aida"]][task] as string[];
    this.tickets = task === 2 ? [{ ticket_id: 501, seat: "gallery" }] : [];
    if (task === 2) this.next = 502;
  }

  call(tool: string, args: JsonObject): Answered {
    if (tool === "desk_login") {
      const known = MEMBERS.includes(String(args.code));
      if (known) this.member = String(args.code);
      const note = known ? `Member ${args.code} is at the desk.` : `There is no member ${args.code}.`;
      return data({ known, note });
    }
    if (tool === "deposit") {
      this.purse += Number(args.amount);
      return data({ note: "Thank you very much", new_purse: this.purse });
    }
    if (tool === "get_purse") return data({ purse: this.purse });
    if (tool === "wish" || tool === "get_wishes") {
      const { opera } = args;
      if (tool === "wish" && !this.wishes.includes(String(opera))) this.wishes.push(String(opera));
      return data({ wishes: [...this.wishes] });
    }
    if (tool === "get_tickets") return data({ tickets: this.tickets.map(({ ticket_id }) => ticket_id) });
    if (tool === "get_ticket") {
      const ticket = this.tickets.find(({ ticket_id }) => ticket_id === args.ticket_id);
      return ticket ? data(ticket) : refused(`Ticket ${args.ticket_id} not found`);
    }
    if (this.member === null) return refused("No member is at the desk.");
    const ticket = { ticket_id: this.next++, seat: String(args.seat) };
    this.tickets.push(ticket);
    return data(ticket);
  }

  ask(random: Random): Asked {
    const drawn = random.int(1, 20);
    if (drawn <= 2) return ["desk_login", { code: random.pick([...MEMBERS, "M-99", "M-98"]) }];
    if (drawn <= 4) return ["deposit", { amount: random.pick([5, 10, 25, 60]) }];
    if (drawn <= 6) return ["get_purse", {}];
    if (drawn <= 9) return ["buy_ticket", { seat: random.pick(["stalls", "circle", "box"]) }];
    if (drawn <= 13) return ["get_ticket", { ticket_id: random.int(501, 503) }];
    if (drawn <= 15) return ["get_tickets", {}];
    if (drawn <= 18) return ["wish", { opera: random.pick(["Aida", "Norma", "Carmen", "Fidelio"]) }];
    return ["get_wishes", {}];
  }
}
