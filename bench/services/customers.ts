import { Random } from "./random.ts";
import {
  type Args,
  call,
  cents,
  type Data,
  fieldOf,
  type InventedService,
  num,
  type Plan,
  Refusal,
  rowsOf,
  str,
  tool,
} from "./service.ts";

const FIRST = ["Ada", "Ben", "Chloe", "Dario", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Kaja", "Liam"];
const LAST = ["Abbott", "Berger", "Costa", "Dahl", "Evans", "Ferrari", "Gruber", "Haas"];
const COUNTRIES = ["AT", "CH", "DE", "IT", "NO"];
const STATUSES = ["active", "trial", "paused", "closed"];
const SORTS = ["id", "name", "created", "balance"];
const CHANGEABLE = ["name", "email", "country", "status", "notes"];

interface Customer {
  id: string;
  name: string;
  email: string;
  country: string;
  status: string;
  notes: string | null;
  created: string;
  version: number;
}

interface Order {
  id: string;
  customer_id: string;
  total: number;
  paid: boolean;
}

/** The database that every session starts with. */
function firstRows(): { customers: Customer[]; orders: Order[] } {
  const random = new Random("customers");
  const names = random.some(
    FIRST.flatMap((first) => LAST.map((last) => `${first} ${last}`)),
    84,
  );
  const customers = names.map((name) => ({
    id: `cus_${random.hex(6)}`,
    name,
    email: `${name.toLowerCase().replace(" ", ".")}@${random.pick(["post.example", "firm.example"])}`,
    country: random.pick(COUNTRIES),
    status: random.pick(STATUSES),
    notes: random.chance(0.2) ? random.pick(["VIP", "calls back on Mondays", "wants paper bills"]) : null,
    created: `2025-${String(random.between(1, 12)).padStart(2, "0")}-${String(random.between(1, 28)).padStart(2, "0")}`,
    version: 1,
  }));
  const orders = Array.from({ length: 60 }, (_, i) => ({
    id: `ord_${1001 + i}`,
    customer_id: random.pick(customers).id,
    total: random.between(500, 40_000) / 100,
    paid: random.chance(0.6),
  }));
  return { customers, orders };
}

/**
 * Customers and their orders behind an HTTP API: filters, orders and pages over 84 rows, changes with versions, and
 * refusals as problem details (RFC 9457). All sessions start with the same rows; new customers get random ids.
 */
export const customers: InventedService = {
  name: "customers",
  form: "openai",
  refusals: "problem",
  tools: [
    tool("list_customers", "GET /customers", {
      q: "string? part of name or email",
      country: "string?",
      status: "active|trial|paused|closed?",
      sort: "string? id, name, created or balance; a - before it turns the order round",
      page: "integer? 1 by default",
      per_page: "integer? 1 to 20, 5 by default",
    }),
    tool("get_customer", "GET /customers/{id}", { id: "string" }),
    tool("create_customer", "POST /customers", {
      name: "string",
      email: "string",
      country: "string",
      notes: "string?",
    }),
    tool("patch_customer", "PATCH /customers/{id}", {
      id: "string",
      changes: "object the fields to change",
      if_version: "integer? refuses where the customer has another version",
    }),
    tool("delete_customer", "DELETE /customers/{id}; the paid orders go too", { id: "string" }),
    tool("list_orders", "GET /customers/{id}/orders", { id: "string", paid: "boolean?" }),
    tool("create_order", "POST /customers/{id}/orders", { id: "string", total: "number" }),
    tool("pay_order", "POST /orders/{id}/payment", { order_id: "string" }),
    tool("merge_customers", "POST /customers/{id}/merge", { id: "string", other_id: "string merged into id" }),
    tool("report", "GET /report", { by: "country|status" }),
  ],
  start(task, session) {
    let { customers, orders } = firstRows();
    let nextOrder = 1001 + orders.length;
    const customerOf = (id: unknown) => {
      const found = customers.find((one) => one.id === id);
      if (!found) throw new Refusal(`No customer '${id}'`, 404);
      return found;
    };
    const ordersOf = (id: string) => orders.filter(({ customer_id }) => customer_id === id);
    const balance = (id: string) => cents(ordersOf(id).reduce((sum, { total, paid }) => sum + (paid ? 0 : total), 0));
    const valid = (fields: Args, self?: Customer) => {
      const { email, country, status, name } = fields;
      if (name !== undefined && str(name).trim() === "") throw new Refusal("name: must not be empty", 422);
      if (email !== undefined && !/^\S+@\S+\.\w+$/.test(str(email))) throw new Refusal("email: not an address", 422);
      if (country !== undefined && !COUNTRIES.includes(str(country)))
        throw new Refusal(`country: must be one of ${COUNTRIES.join(", ")}`, 422);
      if (status !== undefined && !STATUSES.includes(str(status)))
        throw new Refusal(`status: must be one of ${STATUSES.join(", ")}`, 422);
      const taken = customers.find((one) => one.email === str(email).toLowerCase());
      if (taken && taken !== self) throw new Refusal(`email: used by ${taken.id}`, 409);
    };
    const handlers = {
      list_customers: ({ q, country, status, sort, page, per_page }: Args) => {
        const [key, at, size] = [str(sort, "id").replace("-", ""), num(page, 1), num(per_page, 5)];
        if (!SORTS.includes(key)) throw new Refusal(`sort: must be one of ${SORTS.join(", ")}`, 422);
        if (at < 1 || size < 1 || size > 20) throw new Refusal("page or per_page: out of range", 422);
        const found = customers.filter(
          (one) =>
            `${one.name}\n${one.email}`.toLowerCase().includes(str(q).toLowerCase()) &&
            (country === undefined || one.country === country) &&
            (status === undefined || one.status === status),
        );
        const rank = (one: Customer) => (key === "balance" ? balance(one.id) : str((one as unknown as Data)[key]));
        const turn = str(sort).startsWith("-") ? -1 : 1;
        const order = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
        found.sort((a, b) => turn * order(rank(a), rank(b)) || order(a.id, b.id));
        return {
          data: found
            .slice((at - 1) * size, at * size)
            .map(({ id, name, email, country, status }) => ({ id, name, email, country, status })),
          page: at,
          pages: Math.ceil(found.length / size),
          total: found.length,
        };
      },
      get_customer: ({ id }: Args) => {
        const one = customerOf(id);
        return { ...one, orders: ordersOf(one.id).length, balance: balance(one.id) };
      },
      create_customer: ({ name, email, country, notes }: Args) => {
        valid({ name, email, country });
        const id = `cus_${session.hex(6)}`;
        const fields = { name: str(name), email: str(email).toLowerCase(), country: str(country) };
        const rest = { notes: notes === undefined ? null : str(notes), created: "2026-01-15", version: 1 };
        customers.push({ id, ...fields, status: "trial", ...rest });
        return { id, version: 1 };
      },
      patch_customer: ({ id, changes, if_version }: Args) => {
        const one = customerOf(id);
        if (if_version !== undefined && if_version !== one.version)
          throw new Refusal(`Version is ${one.version}, not ${if_version}`, 412);
        const fields = typeof changes === "object" && changes !== null ? (changes as Data) : {};
        const unknown = Object.keys(fields).find((key) => !CHANGEABLE.includes(key));
        if (unknown !== undefined) throw new Refusal(`${unknown}: cannot be changed`, 422);
        valid(fields, one);
        if (fields.status === "closed" && balance(one.id) > 0)
          throw new Refusal(`Customer owes ${balance(one.id)}`, 409);
        Object.assign(one, fields);
        one.email = one.email.toLowerCase();
        one.version++;
        return { id: one.id, version: one.version };
      },
      delete_customer: ({ id }: Args) => {
        const one = customerOf(id);
        const open = ordersOf(one.id).filter(({ paid }) => !paid).length;
        if (open > 0) throw new Refusal(`Customer has ${open} unpaid orders`, 409);
        customers = customers.filter((other) => other !== one);
        orders = orders.filter(({ customer_id }) => customer_id !== one.id);
        return { status: 204 };
      },
      list_orders: ({ id, paid }: Args) => ({
        data: ordersOf(customerOf(id).id)
          .filter((order) => paid === undefined || order.paid === paid)
          .map(({ id, total, paid }) => ({ id, total, paid })),
      }),
      create_order: ({ id, total }: Args) => {
        const one = customerOf(id);
        if (!(num(total) > 0)) throw new Refusal("total: must be above 0", 422);
        if (one.status === "paused" || one.status === "closed") throw new Refusal(`Customer is ${one.status}`, 409);
        const order = { id: `ord_${nextOrder++}`, customer_id: one.id, total: cents(num(total)), paid: false };
        orders.push(order);
        if (one.status === "trial") one.status = "active";
        return order;
      },
      pay_order: ({ order_id }: Args) => {
        const order = orders.find((one) => one.id === order_id);
        if (!order) throw new Refusal(`No order '${order_id}'`, 404);
        if (order.paid) throw new Refusal(`Order '${order_id}' is paid`, 409);
        order.paid = true;
        return { status: 204 };
      },
      merge_customers: ({ id, other_id }: Args) => {
        const [one, other] = [customerOf(id), customerOf(other_id)];
        if (one === other) throw new Refusal("A customer cannot be merged with itself", 422);
        const moved = ordersOf(other.id);
        for (const order of moved) order.customer_id = one.id;
        one.notes ??= other.notes;
        one.version++;
        customers = customers.filter((each) => each !== other);
        return { id: one.id, orders_moved: moved.length };
      },
      report: ({ by }: Args) => {
        const key = by === "status" ? "status" : "country";
        return [...Map.groupBy(customers, (one) => one[key])]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([group, own]) => ({
            [key]: group,
            customers: own.length,
            balance: cents(own.reduce((sum, { id }) => sum + balance(id), 0)),
          }));
      },
    };
    const one = task.pick(customers);
    const buyer = customers.find(({ id }) => id === task.pick(orders).customer_id) ?? one;
    const name = `${task.pick(FIRST)} ${task.pick(LAST)}`;
    const email = `${name.toLowerCase().replace(" ", "_")}@new.example`;
    const [country, status] = [task.pick(COUNTRIES), task.pick(STATUSES)];
    const sort = task.pick([undefined, "name", "-created", "-balance"]);
    const total = task.between(900, 20_000) / 100;
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (goal === 0) {
        const filters = { country, status: task.pick([undefined, status]), sort };
        const first = yield call("list_customers", filters);
        if (num(fieldOf(first, "pages")) > 1) yield call("list_customers", { ...filters, page: 2 });
        yield call("get_customer", { id: rowsOf(first)[0]?.id ?? one.id });
        yield call("report", { by: "country" });
      } else if (goal === 1) {
        const id = fieldOf(yield call("create_customer", { name, email, country }), "id");
        if (id === undefined) yield call("list_customers", { q: email });
        yield call("create_order", { id: id ?? one.id, total });
        yield call("get_customer", { id: id ?? one.id });
        yield call("list_customers", { q: name.split(" ")[1], per_page: 10 });
      } else if (goal === 2) {
        const found = yield call("list_customers", { q: one.name.toUpperCase() });
        const id = rowsOf(found)[0]?.id ?? one.id;
        const version = num(fieldOf(yield call("get_customer", { id }), "version"), 1);
        yield call("patch_customer", { id, changes: { country, notes: "moved" }, if_version: version });
        yield call("patch_customer", { id, changes: { status } });
        yield call("get_customer", { id });
        yield call("report", { by: "status" });
      } else if (goal === 3) {
        const open = rowsOf(yield call("list_orders", { id: buyer.id, paid: false }));
        for (const { id } of open.slice(0, 3)) yield call("pay_order", { order_id: id });
        yield call("delete_customer", { id: buyer.id });
        yield call("get_customer", { id: buyer.id });
        yield call("list_customers", { country: buyer.country, sort: "name" });
      } else {
        yield call("list_orders", { id: one.id });
        yield call("merge_customers", { id: one.id, other_id: buyer.id });
        yield call("list_orders", { id: one.id });
        yield call("get_customer", { id: one.id });
      }
    }
    return {
      request: `Customers: ${[`what of ${country} (${status}), ordered by ${sort ?? "id"}?`, `add ${name}, ${email}, ${country}, and an order of ${total}.`, `${one.name} moved to ${country} and is now ${status}.`, `settle what ${buyer.id} owes and delete the customer.`, `${buyer.id} is the same person as ${one.id}: merge them.`][goal]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("get_customer", { id: random.pick([one.id, buyer.id, random.pick(customers).id, "cus_000000"]) }),
          call("list_customers", { country: random.pick([country, "FR"]), page: random.pick([undefined, 2, 0]) }),
          call("list_customers", { q: random.pick(LAST).toLowerCase(), sort: random.pick(["name", "age"]) }),
          call("list_orders", { id: random.pick([one.id, buyer.id]), paid: random.pick([undefined, true]) }),
          call("report", { by: random.pick(["country", "status"]) }),
          call("create_customer", { name, email: random.pick([one.email, "nowhere"]), country }),
          call("create_order", { id: one.id, total: random.pick([total, 0]) }),
          call("pay_order", { order_id: `ord_${random.between(1001, 1062)}` }),
          call("patch_customer", { id: one.id, changes: { status: random.pick([status, "gone"]) } }),
        ]),
    };
  },
};
