import { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Contract, cents, type Gateway, type Supplier } from "./energy.ts";

const NAMES = ["Ada Berg", "Ben Cole", "Cleo Diaz", "Dan Egan", "Eva Falk", "Finn Gray", "Gina Holt", "Hugo Ivers"];
/** How many customers have a gateway. */
export const HOMES = 12;

/** The supplier's records as they are before anything happened, with a gateway that works in one customer's home. */
export function supplierOf(at: number): Supplier {
  const random = new Random(77);
  const [customers, contracts, bills, meters] = [new Map(), new Map(), new Map(), new Map()] as [
    Supplier["customers"],
    Supplier["contracts"],
    Supplier["bills"],
    Supplier["meters"],
  ];
  const tariffs: Supplier["tariffs"] = new Map();
  for (const [i, name] of ["Basic", "Plus", "Family", "Green"].entries())
    tariffs.set(`T${i + 1}`, {
      tariff_id: `T${i + 1}`,
      name,
      included_kwh: 200 + i * 100,
      kwh_price: cents(0.4 - i * 0.03),
      kw: 5 + i * 2,
    });
  for (let i = 0; i < 36; i++) {
    const [customer_id, ids] = [`C${1001 + i}`, [1, 2].slice(0, 1 + (i % 2)).map((n) => `K${2000 + i * 10 + n}`)];
    const bill_ids = [1, 2, 3].map((n) => `B${4000 + i * 10 + n}`);
    customers.set(customer_id, {
      customer_id,
      full_name: NAMES[i % NAMES.length] as string,
      birth_date: `19${60 + (i % 35)}-0${1 + (i % 9)}-1${i % 10}`,
      phone: `555-02${String(10 + i)}`,
      email: `c${i}@mail.test`,
      contract_ids: ids,
      bill_ids,
      credit: i % 5 === 0 ? 10 : 0,
    });
    for (const [n, contract_id] of ids.entries()) {
      const meter_id = `M${3000 + i * 10 + n}`;
      const tariff_id = `T${random.int(1, 4)}`;
      meters.set(meter_id, {
        meter_id,
        contract_id,
        kind: n ? "gas" : "power",
        reading: random.int(900, 9000),
        sealed: random.chance(0.8),
      });
      contracts.set(contract_id, {
        contract_id,
        customer_id,
        tariff_id,
        meter_id,
        status: i % 11 === 10 ? "Closed" : "Active",
        suspended_on: null,
        options: { boost: random.chance(0.7), night_rate: random.chance(0.3) },
        used_kwh: random.int(40, 180),
        extra_kwh: 0,
        load_limit_kw: tariffs.get(tariff_id)?.kw ?? 5,
      });
    }
    for (const [n, bill_id] of bill_ids.entries())
      bills.set(bill_id, {
        bill_id,
        customer_id,
        issued_on: `2026-0${1 + (n % 2)}-${10 + n}`,
        total: cents(random.int(2000, 9900) / 100),
        status: n === 0 ? "Issued" : "Paid",
      });
  }
  const gateway: Gateway = {
    breaker: true,
    wifi: true,
    signal: "strong",
    token: "valid",
    lock: false,
    eco: false,
    proxy: false,
    mode: "home",
    target: 21,
    firmware: "2.1",
    pending: false,
    apps: { meter: { network: true, storage: true }, boost: { network: true, storage: true } },
  };
  return {
    customers,
    contracts,
    bills,
    meters,
    tariffs,
    gateway,
    home: contracts.get(`K${2000 + at * 10 + 1}`) as Contract,
    visits: 0,
  };
}
