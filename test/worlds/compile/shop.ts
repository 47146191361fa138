import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";

/** A small stateful system whose sessions are the evidence: what compiles from them must answer as it does. */
export class Shop {
  readonly people = new Map<string, JsonObject>();
  readonly bills = new Map<string, JsonObject>();
  private issued = 0;

  constructor() {
    for (let i = 0; i < 30; i++) {
      const id = `U-${100 + i}`;
      this.people.set(id, {
        user_id: id,
        name: `Person ${String.fromCharCode(65 + (i % 26))}${i}`,
        email: `p${i}@example.com`,
        credit: 10 * (i % 5),
        tier: i % 3 === 0 ? "gold" : "basic",
      });
      for (let k = 0; k < 2; k++) {
        const bill = `B-${1000 + i * 2 + k}`;
        const lines = [
          { sku: `S${i}`, price: 5.25 + i, units: 1 + k },
          { sku: `T${k}`, price: 2.1, units: 2 },
        ];
        this.bills.set(bill, {
          bill_id: bill,
          user_id: id,
          status: (i + k) % 3 === 0 ? "paid" : "open",
          lines,
          total: Math.round(lines.reduce((sum, line) => sum + line.price * line.units, 0) * 100) / 100,
          notes: [],
        });
      }
    }
  }

  call(tool: string, args: JsonObject): { value: Json; isError: boolean } {
    const error = (text: string) => ({ value: text, isError: true });
    const data = (value: Json) => ({ value: structuredClone(value), isError: false });
    if (tool === "get_user") {
      const user = this.people.get(String(args.user_id));
      return user ? data(user) : error(`User ${args.user_id} not found`);
    }
    if (tool === "find_user") {
      const user = [...this.people.values()].find((row) => row.email === args.email);
      return user ? data(user.user_id as string) : error("no user with that email found");
    }
    const bill = this.bills.get(String(args.bill_id));
    if (!bill) return error(`Bill ${args.bill_id} not found`);
    if (tool === "get_bill") return data(bill);
    if (tool === "pay_bill") {
      if (bill.status !== "open") return error(`Bill ${args.bill_id} is ${bill.status}: only open bills can be paid`);
      const amount = args.amount as number;
      if (amount > (bill.total as number)) return error(`Bill total is ${bill.total}, but got ${amount}`);
      bill.total = Math.round(((bill.total as number) - amount) * 100) / 100;
      bill.status = "part paid";
      bill.notes = [...(bill.notes as Json[]), { kind: "payment", amount }];
      const user = this.people.get(bill.user_id as string) as JsonObject;
      user.credit = (user.credit as number) + 1;
      return data(bill);
    }
    if (tool === "refund_bill") {
      const id = `R-${7000 + ((this.issued++ * 37 + Number(String(args.bill_id).slice(2))) % 900)}`;
      return data({
        refund_id: id,
        bill_id: args.bill_id as string,
        user_id: bill.user_id as string,
        amount: bill.total as number,
        reason: args.reason as string,
      });
    }
    return error("no such tool");
  }
}

function session(index: number, calls: readonly [string, JsonObject][]): ObservedTrace {
  const shop = new Shop();
  const observed: ObservedCall[] = calls.map(([tool, args]) => {
    const { value, isError } = shop.call(tool, args);
    return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError };
  });
  return { id: `t${index}`, group: `g${index}`, startedAt: 1_700_000_000 + index, calls: observed };
}

/** Sessions that show every tool, with reads before and after writes and each refusal. */
export function shopTraces(): ObservedTrace[] {
  const out: ObservedTrace[] = [];
  for (let i = 0; i < 30; i++) {
    const user = `U-${100 + i}`;
    const bill = `B-${1000 + i * 2 + (i % 2)}`;
    out.push(
      session(out.length, [
        ["find_user", { email: `p${i}@example.com` }],
        ["get_user", { user_id: user }],
        ["get_bill", { bill_id: `B-${1000 + i * 2}` }],
        ["get_bill", { bill_id: `B-${1001 + i * 2}` }],
      ]),
    );
    if (i < 22)
      out.push(
        session(out.length, [
          ["get_user", { user_id: user }],
          ["get_bill", { bill_id: bill }],
          ["pay_bill", { bill_id: bill, amount: i % 5 === 1 ? 500 + i : 1 + i / 4 }],
          ["get_bill", { bill_id: bill }],
          ["get_user", { user_id: user }],
        ]),
      );
    if (i < 12)
      out.push(
        session(out.length, [
          ["get_bill", { bill_id: bill }],
          ["refund_bill", { bill_id: bill, reason: i % 2 ? "late" : "broken" }],
        ]),
      );
    if (i < 4)
      out.push(
        session(out.length, [
          ["get_user", { user_id: `U-9${i}0` }],
          ["get_bill", { bill_id: `B-88${i}0` }],
        ]),
      );
  }
  return out;
}
