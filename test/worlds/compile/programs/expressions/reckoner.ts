import { round } from "../../../../../worlds/behaviour/functions/numbers.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "../services.ts";

const lengths: Readonly<Record<string, number>> = {
  m: 1,
  km: 1000,
  cm: 0.01,
  mm: 0.001,
  ft: 0.3048,
  in: 0.0254,
  mi: 1609.344,
  um: 1e-6,
  nm: 1e-9,
};

/** A workshop's tools that compute, and a stock that a delivery adds to: its answer is computed from arguments alone too. */
export class Reckoner implements Service {
  readonly tools = ["share_out", "spread", "left_over", "grow", "measure", "work_out", "deliver", "show_stock", "mix"];
  private stock: number;

  constructor(task: number) {
    this.stock = 100 + task * 7;
  }

  call(tool: string, args: JsonObject): Answered {
    const [a, b] = [Number(args.a), Number(args.b)];
    switch (tool) {
      case "share_out":
        return b === 0 ? refused("Nobody is there to share with.") : data({ each: Number((a / b).toPrecision(9)) });
      case "spread": {
        const numbers = args.numbers as number[];
        const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
        return data({
          spread: round(Math.sqrt(numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length), 4),
        });
      }
      case "left_over":
        return data({ rest: a % b });
      case "grow":
        return said(`${b < a ? "Less" : "More"} by ${Math.abs(((b - a) / a) * 100).toFixed(1)} %`);
      case "measure": {
        const [from, to] = [lengths[String(args.from)], lengths[String(args.to)]];
        if (from === undefined || to === undefined) return refused(`No unit ${String(from ? args.to : args.from)}.`);
        return data({ size: round((a * from) / to, 3) });
      }
      case "work_out": {
        const text = String(args.sum);
        return /^\d+ [-+*] \d+$/.test(text) ? said(`${text} is ${String(worked(text))}`) : refused("That is no sum.");
      }
      case "deliver":
        this.stock += a * b;
        return data({ delivered: a * b });
      case "mix":
        return data({ shade: (this.stock * 31 + a * 17) % 97 });
      default:
        return data({ stock: this.stock });
    }
  }

  ask(random: Random): Asked {
    const [a, b] = [random.int(20, 900) / 4, random.int(2, 40)];
    const units = Object.keys(lengths);
    const asked: readonly Asked[] = [
      ["share_out", { a, b: random.chance(0.1) ? 0 : b }],
      ["spread", { numbers: Array.from({ length: random.int(3, 6) }, () => random.int(1, 400) / 4) }],
      ["left_over", { a: random.int(20, 900), b }],
      ["grow", { a, b: random.int(20, 900) / 4 }],
      ["measure", { a, from: random.pick(units), to: random.pick([...units, "furlong"]) }],
      [
        "work_out",
        { sum: random.chance(0.2) ? `${b} and` : `${b} ${random.pick(["+", "-", "*"])} ${random.int(2, 60)}` },
      ],
      ["deliver", { a: random.int(1, 9), b }],
      ["show_stock", {}],
      ["mix", { a: random.int(1, 90) }],
    ];
    return random.pick(asked);
  }
}

const said = (result: string): Answered => ({ result, isError: false });

function worked(sum: string): Json {
  const [a, sign, b] = sum.split(" ") as [string, string, string];
  return sign === "+" ? Number(a) + Number(b) : sign === "-" ? Number(a) - Number(b) : Number(a) * Number(b);
}
