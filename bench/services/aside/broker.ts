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
} from "../service.ts";

type Order = Data & { order_id: number; symbol: string; side: string; quantity: number; status: string };

/** What a filled order costs besides its shares. */
const COMMISSION = 1;
/** Company, sector, price, change in percent, millions of shares traded. */
const STOCKS: Readonly<Record<string, readonly [string, string, number, number, number]>> = {
  BORE: ["Borealis Energy", "Energy", 48.2, -1.35, 2.1],
  COBT: ["Cobalt Robotics", "Technology", 312.75, 2.4, 5.6],
  DLTF: ["Delta Freight", "Transport", 91.4, 0.15, 0.9],
  EMBR: ["Ember Foods", "Consumer", 27.05, 0.62, 1.4],
  GLCR: ["Glacier Water", "Utilities", 63.88, -0.21, 0.3],
  HLXB: ["Helix Biotech", "Health", 154.1, 4.87, 3.2],
  IONC: ["Ionic Devices", "Technology", 88.9, -0.74, 4.4],
  JNPH: ["Juniper Health", "Health", 71.3, 1.02, 1.1],
  KSTR: ["Kestrel Air", "Transport", 18.65, -3.1, 7.7],
  SOLV: ["Solveig Solar", "Energy", 9.42, 6.05, 12.3],
};
const USERS: Readonly<Record<string, string>> = { mkoller: "alpine-77", rsato: "kanto2024", dvance: "hunter!9" };

/** A trading account behind a login, as function-calling benchmarks have: cash, holdings, orders and a watch list. */
export const broker: InventedService = {
  name: "broker",
  form: "openai",
  refusals: "object",
  tools: [
    tool("login", "Log in to the trading account.", { username: "string", password: "string" }),
    tool("logout", "Log out."),
    tool("get_market_status", "Get the current time and whether the market is open."),
    tool("get_quote", "Get the quote of a symbol.", { symbol: "string" }),
    tool("get_account", "Get balance and buying power."),
    tool("transfer", "Move money into or out of the account.", { direction: "deposit|withdraw", amount: "number" }),
    tool("submit_order", "Buy or sell shares.", {
      symbol: "string",
      side: "buy|sell",
      quantity: "integer",
      order_type: "market|limit? market by default",
      limit_price: "number? required for limit orders",
    }),
    tool("get_order", "Get an order.", { order_id: "integer" }),
    tool("cancel_order", "Cancel a pending order.", { order_id: "integer" }),
    tool("order_history", "List orders, the newest first.", { status: "pending|filled|cancelled?" }),
    tool("get_positions", "Get the positions with their gains."),
    tool("get_watchlist", "Get the watch list."),
    tool("update_watchlist", "Add or remove a symbol.", { action: "add|remove", symbol: "string" }),
  ],
  start(task) {
    const username = task.pick(Object.keys(USERS));
    const password = USERS[username] as string;
    const account = { account_id: 480213, balance: task.pick([10000, 10000, 10000, 2500, 640.5]) };
    const time = task.pick(["10:30 AM", "10:30 AM", "01:45 PM", "06:20 PM"]);
    const open = time !== "06:20 PM";
    let user: string | undefined = task.chance(0.3) ? username : undefined;
    const positions = new Map([
      ["DLTF", { quantity: 40, average_cost: 85.1 }],
      ["IONC", { quantity: 25, average_cost: 97.6 }],
    ]);
    if (task.chance(0.4)) positions.set("EMBR", { quantity: task.between(1, 8) * 10, average_cost: 24.5 });
    const watchlist = ["COBT", "KSTR", ...(task.chance(0.3) ? ["JNPH"] : [])];
    const pending = { order_type: "limit", status: "pending" };
    const orders: Order[] = [
      { order_id: 7741, symbol: "DLTF", side: "buy", order_type: "market", quantity: 40, status: "filled" },
      { order_id: 7742, symbol: "BORE", side: "buy", quantity: 10, limit_price: 44.5, ...pending },
      { order_id: 7743, symbol: "IONC", side: "sell", quantity: 5, limit_price: 99, ...pending },
    ];
    if (task.chance(0.3))
      orders.push({ order_id: 7744, symbol: "HLXB", side: "buy", quantity: 2, limit_price: 140, ...pending });
    const signedIn = () => {
      if (user === undefined) throw new Refusal("User not authenticated. Please log in first.");
    };
    const quoteOf = (symbol: unknown) => {
      const found = STOCKS[str(symbol)];
      if (!found) throw new Refusal(`Symbol '${symbol}' not found.`);
      return found;
    };
    const orderOf = (id: unknown) => {
      signedIn();
      const found = orders.find(({ order_id }) => order_id === id);
      if (!found) throw new Refusal(`Order with ID ${id} not found.`);
      return found;
    };
    const waiting = (side: string, symbol?: string) =>
      orders.filter((one) => one.status === "pending" && one.side === side && (symbol ?? one.symbol) === one.symbol);
    const buyingPower = () =>
      cents(account.balance - waiting("buy").reduce((sum, one) => sum + one.quantity * num(one.limit_price), 0));
    const fill = (order: Order, price: number) => {
      const { symbol, side, quantity } = order;
      const amount = cents(quantity * price);
      const had = positions.get(symbol) ?? { quantity: 0, average_cost: 0 };
      const now = had.quantity + (side === "buy" ? quantity : -quantity);
      if (side === "buy")
        positions.set(symbol, {
          quantity: now,
          average_cost: cents((had.quantity * had.average_cost + amount) / now),
        });
      else if (now === 0) positions.delete(symbol);
      else positions.set(symbol, { ...had, quantity: now });
      account.balance = cents(account.balance + (side === "buy" ? -amount : amount) - COMMISSION);
      order.status = "filled";
      order.filled_price = price;
    };
    const handlers = {
      login: ({ username: name, password: code }: Args) => {
        if (user !== undefined) throw new Refusal(`Already logged in as ${user}.`);
        if (USERS[str(name)] === undefined || USERS[str(name)] !== code)
          throw new Refusal("Invalid username or password.");
        user = str(name);
        return { status: "Login successful", username: user };
      },
      logout: () => {
        signedIn();
        user = undefined;
        return { status: "Logged out" };
      },
      get_market_status: () => ({ current_time: time, market_status: open ? "Open" : "Closed" }),
      get_quote: ({ symbol }: Args) => {
        const [company, sector, price, percent_change, volume] = quoteOf(symbol);
        return { symbol, company, sector, price, percent_change, volume_millions: volume };
      },
      get_account: () => {
        signedIn();
        return { ...account, buying_power: buyingPower(), currency: "USD" };
      },
      transfer: ({ direction, amount }: Args) => {
        signedIn();
        if (!(num(amount) > 0)) throw new Refusal("Amount must be positive.");
        if (direction !== "deposit" && direction !== "withdraw") throw new Refusal(`Unknown direction '${direction}'.`);
        if (direction === "withdraw" && num(amount) > buyingPower())
          throw new Refusal(`Insufficient funds: $${buyingPower().toFixed(2)} can be withdrawn.`);
        account.balance = cents(account.balance + (direction === "deposit" ? num(amount) : -num(amount)));
        return { status: "Completed", direction, amount, new_balance: account.balance };
      },
      submit_order: ({ symbol, side, quantity, order_type, limit_price }: Args) => {
        signedIn();
        const price = quoteOf(symbol)[2];
        const [count, type] = [num(quantity), str(order_type, "market")];
        if (!Number.isInteger(count) || count <= 0) throw new Refusal("Quantity must be a positive integer.");
        if (side !== "buy" && side !== "sell") throw new Refusal(`Invalid side '${side}'. Use 'buy' or 'sell'.`);
        if (type === "limit" && limit_price === undefined) throw new Refusal("Limit orders require limit_price.");
        if (type === "market" && !open)
          throw new Refusal("Market is closed. Only limit orders are accepted outside trading hours.");
        const at = type === "limit" ? num(limit_price) : undefined;
        const needed = cents(count * (at ?? price) + COMMISSION);
        if (side === "buy" && needed > buyingPower())
          throw new Refusal(
            `Insufficient buying power: $${needed.toFixed(2)} needed, $${buyingPower().toFixed(2)} left.`,
          );
        const reserved = waiting("sell", str(symbol)).reduce((sum, one) => sum + one.quantity, 0);
        const free = (positions.get(str(symbol))?.quantity ?? 0) - reserved;
        if (side === "sell" && count > free)
          throw new Refusal(`Cannot sell ${count} shares of ${symbol}: ${free} available.`);
        const order: Order = {
          order_id: 7741 + orders.length,
          symbol: str(symbol),
          side,
          order_type: type,
          quantity: count,
          ...(at === undefined ? {} : { limit_price: at }),
          status: "pending",
        };
        orders.push(order);
        if (open && (at === undefined || (side === "buy" ? at >= price : at <= price))) fill(order, price);
        return { ...order };
      },
      get_order: ({ order_id }: Args) => ({ ...orderOf(order_id) }),
      cancel_order: ({ order_id }: Args) => {
        const order = orderOf(order_id);
        if (order.status !== "pending") throw new Refusal(`Cannot cancel order ${order_id}: it is ${order.status}.`);
        order.status = "cancelled";
        return { order_id, status: order.status };
      },
      order_history: ({ status }: Args) => {
        signedIn();
        const found = orders.filter((one) => status === undefined || one.status === status).reverse();
        return { orders: found.map(({ order_id, symbol, side, status }) => ({ order_id, symbol, side, status })) };
      },
      get_positions: () => {
        signedIn();
        const rows = [...positions].map(([symbol, { quantity, average_cost }]) => {
          const market_value = cents(quantity * quoteOf(symbol)[2]);
          const unrealized_gain = cents(market_value - quantity * average_cost);
          return { symbol, quantity, average_cost, market_value, unrealized_gain };
        });
        const invested = rows.reduce((sum, { market_value }) => sum + market_value, 0);
        return { positions: rows, total_value: cents(invested + account.balance) };
      },
      get_watchlist: () => {
        signedIn();
        return { watchlist: [...watchlist] };
      },
      update_watchlist: ({ action, symbol }: Args) => {
        signedIn();
        quoteOf(symbol);
        const at = watchlist.indexOf(str(symbol));
        if (action === "add" && at >= 0) throw new Refusal(`${symbol} is already on the watch list.`);
        if (action !== "add" && at < 0) throw new Refusal(`${symbol} is not on the watch list.`);
        if (action === "add") watchlist.push(str(symbol));
        else watchlist.splice(at, 1);
        return { watchlist: [...watchlist] };
      },
    };
    const symbol = task.pick(Object.keys(STOCKS));
    const [company, , price] = quoteOf(symbol);
    const quantity = task.pick([2, 5, 10, 20, 60]);
    const amount = task.pick([150, 500, 1200, 3000]);
    const limit_price = cents(price * task.pick([0.95, 0.97, 1.02]));
    const signIn = user === undefined;
    const order_id = task.pick(orders).order_id;
    const kind = task.between(0, 6);
    const market = { symbol, side: "buy", quantity };
    const wishes = [
      `Buy ${quantity} shares of ${company} (${symbol}) at ${limit_price} at most; call it off if it does not fill at once.`,
      `Put ${amount} dollars in and buy ${quantity} shares of ${symbol} at the market price. How do I stand then?`,
      "Take profits: sell half of my largest gainer, and tell me my cash.",
      "Cancel whatever is still waiting. What can I spend after that?",
      `Put ${symbol} on my watch list and take off what has fallen today.`,
      `What became of order ${order_id}? Cancel it if it waits, then withdraw ${amount} dollars.`,
      `Move my Ionic Devices money into ${symbol}, ${quantity} shares or fewer, and log me out.`,
    ];
    function* plan(): Plan {
      if (signIn) yield call("login", { username, password });
      yield call("get_account");
      if (kind === 0) {
        yield call("get_quote", { symbol });
        const made = yield call("submit_order", { ...market, order_type: "limit", limit_price });
        const id = Number(fieldOf(made, "order_id") ?? order_id);
        if (fieldOf(yield call("get_order", { order_id: id }), "status") === "pending")
          yield call("cancel_order", { order_id: id });
        yield call("order_history");
        yield call("get_account");
      } else if (kind === 1) {
        yield call("transfer", { direction: "deposit", amount });
        yield call("get_market_status");
        yield call("get_quote", { symbol });
        yield call("submit_order", market);
        yield call("get_positions");
        yield call("get_account");
      } else if (kind === 2 || kind === 6) {
        const rows = rowsOf(yield call("get_positions"));
        rows.sort((a, b) => num(b.unrealized_gain) - num(a.unrealized_gain));
        const sold = kind === 6 ? rows.find((row) => row.symbol === "IONC") : rows[0];
        yield call("get_quote", { symbol: str(sold?.symbol, "IONC") });
        const count = kind === 6 ? num(sold?.quantity, 25) - 5 : Math.floor(num(sold?.quantity, 20) / 2);
        yield call("submit_order", { symbol: str(sold?.symbol, "IONC"), side: "sell", quantity: count });
        yield call("get_account");
        if (kind === 6) yield call("submit_order", { ...market, order_type: "market" });
        yield call("get_positions");
        yield call("order_history", { status: "filled" });
        if (kind === 6) yield call("logout");
      } else if (kind === 3) {
        for (const row of rowsOf(yield call("order_history", { status: "pending" })))
          yield call("cancel_order", { order_id: num(row.order_id) });
        yield call("order_history");
        yield call("get_account");
      } else if (kind === 4) {
        yield call("get_watchlist");
        yield call("update_watchlist", { action: "add", symbol });
        for (const one of [...watchlist])
          if (num(fieldOf(yield call("get_quote", { symbol: one }), "percent_change")) < 0)
            yield call("update_watchlist", { action: "remove", symbol: one });
        yield call("get_watchlist");
      } else {
        if (fieldOf(yield call("get_order", { order_id }), "status") === "pending")
          yield call("cancel_order", { order_id });
        yield call("transfer", { direction: "withdraw", amount });
        yield call("order_history");
      }
    }
    return {
      request: `I am ${username}, password ${password}. ${wishes[kind]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("get_market_status"),
          call("get_quote", { symbol: random.pick([...Object.keys(STOCKS), "ZZZT"]) }),
          call("get_account"),
          call("get_watchlist"),
          call("order_history"),
          call("get_positions"),
          call("get_order", { order_id: random.between(7741, 7746) }),
          call("update_watchlist", { action: "remove", symbol: random.pick(["KSTR", symbol]) }),
        ]),
    };
  },
};
