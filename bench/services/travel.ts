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
  str,
  tool,
} from "./service.ts";

const CITIES = ["Lisbon", "Oslo", "Vienna", "Dublin", "Athens"];
const CABINS: Readonly<Record<string, number>> = { economy: 1, premium: 1.6, business: 3 };
const RATES: Readonly<Record<string, number>> = { EUR: 1, USD: 1.1, GBP: 0.85, NOK: 11.6 };
const USERS = ["anna", "bo", "carla", "dmitri"];

const distance = (from: string, to: string) =>
  300 + 140 * Math.abs(CITIES.indexOf(from) - CITIES.indexOf(to)) + 35 * CITIES.indexOf(to);

interface Booking {
  booking_id: string;
  from: string;
  to: string;
  cabin: string;
  seats: number;
  price: number;
  card_id: string;
  insured: boolean;
  status: string;
}

/**
 * Bookings of travel: a login whose token the other tools want, cards with balances, fares and refunds that are
 * computed; cards, balances and bookings differ by task.
 */
export const travel: InventedService = {
  name: "travel",
  form: "openai",
  refusals: "object",
  tools: [
    tool("sign_in", "Signs in and gives a token.", { user: "string", pin: "string" }),
    tool("session_info", "Says who is signed in."),
    tool("fare", "Quotes a fare in EUR.", {
      from: "string",
      to: "string",
      cabin: "economy|premium|business? economy by default",
      seats: "integer? 1 by default",
    }),
    tool("cards", "Lists the cards of who is signed in.", { token: "string" }),
    tool("add_card", "Adds a card.", { token: "string", number: "string", limit: "number" }),
    tool("book", "Books seats and charges a card.", {
      token: "string",
      card_id: "string",
      from: "string",
      to: "string",
      cabin: "string?",
      seats: "integer?",
    }),
    tool("insure", "Insures a booking for 8 % of its price.", { token: "string", booking_id: "string" }),
    tool("cancel", "Cancels a booking; what is refunded depends on cabin and insurance.", {
      token: "string",
      booking_id: "string",
    }),
    tool("booking", "Shows a booking.", { booking_id: "string" }),
    tool("bookings", "Lists bookings.", { token: "string", status: "confirmed|cancelled?" }),
    tool("set_budget", "Sets a budget in EUR that bookings must stay within.", { token: "string", amount: "number" }),
    tool("convert", "Converts an amount.", { amount: "number", from: "string", to: "string" }),
  ],
  start(task, session) {
    const user = task.pick(USERS);
    const pin = String(task.between(1000, 9999));
    const cards = new Map<string, { number: string; balance: number }>();
    for (let i = task.between(1, 3); i > 0; i--)
      cards.set(`card_${task.between(100, 999)}`, {
        number: `4${task.between(100, 999)} ${task.between(1000, 9999)}`,
        balance: task.between(4, 60) * 100,
      });
    const bookings: Booking[] = [];
    const firstCard = [...cards.keys()][0] as string;
    for (let i = task.between(0, 2); i > 0; i--) {
      const [from, to] = task.some(CITIES, 2) as [string, string];
      const booking_id = `BK${task.between(10000, 99999)}`;
      bookings.push({
        booking_id,
        from,
        to,
        cabin: "economy",
        seats: 1,
        price: distance(from, to),
        card_id: firstCard,
        insured: false,
        status: "confirmed",
      });
    }
    let token: string | undefined;
    let budget: number | undefined;
    const signedIn = (given: unknown) => {
      if (token === undefined) throw new Refusal("Not signed in.");
      if (given !== token) throw new Refusal("Token is not valid.");
    };
    const cardOf = (id: unknown) => {
      const found = cards.get(str(id));
      if (!found) throw new Refusal(`Card ${id} is not registered. Cards: ${[...cards.keys()].join(", ")}`);
      return found;
    };
    const bookingOf = (id: unknown) => {
      const found = bookings.find(({ booking_id }) => booking_id === id);
      if (!found) throw new Refusal(`Booking ${id} not found.`);
      return found;
    };
    const charge = (card: { balance: number }, price: number) => {
      if (card.balance < price)
        throw new Refusal(
          `Insufficient funds: ${price.toFixed(2)} EUR needed, ${card.balance.toFixed(2)} EUR on the card.`,
        );
      card.balance = cents(card.balance - price);
    };
    const priced = ({ from, to, cabin, seats }: Args) => {
      for (const city of [from, to]) if (!CITIES.includes(str(city))) throw new Refusal(`No airport in ${city}.`);
      if (from === to) throw new Refusal("Departure and destination are the same.");
      const factor = CABINS[str(cabin, "economy")];
      if (factor === undefined) throw new Refusal(`Unknown cabin ${cabin}.`);
      return cents(distance(str(from), str(to)) * factor * num(seats, 1));
    };
    const handlers = {
      sign_in: ({ user: who, pin: code }: Args) => {
        if (who !== user || code !== pin) throw new Refusal("User or pin is wrong.");
        token = session.hex(12);
        return { token, user, expires_in: 3600 };
      },
      session_info: () =>
        token === undefined ? { signed_in: false } : { signed_in: true, user, budget: budget ?? null },
      fare: (args: Args) => ({
        from: args.from,
        to: args.to,
        cabin: str(args.cabin, "economy"),
        price: priced(args),
        currency: "EUR",
      }),
      cards: ({ token: given }: Args) => {
        signedIn(given);
        return {
          cards: [...cards].map(([card_id, { number, balance }]) => ({
            card_id,
            ends_with: number.slice(-4),
            balance,
          })),
        };
      },
      add_card: ({ token: given, number, limit }: Args) => {
        signedIn(given);
        const card_id = `card_${session.between(100, 999)}`;
        cards.set(card_id, { number: str(number), balance: num(limit) });
        return { card_id };
      },
      book: (args: Args) => {
        signedIn(args.token);
        const card = cardOf(args.card_id);
        const price = priced(args);
        if (budget !== undefined && price > budget)
          throw new Refusal(`Over budget by ${cents(price - budget).toFixed(2)} EUR.`);
        charge(card, price);
        if (budget !== undefined) budget = cents(budget - price);
        const booking_id = `BK${session.between(10000, 99999)}`;
        bookings.push({
          booking_id,
          from: str(args.from),
          to: str(args.to),
          cabin: str(args.cabin, "economy"),
          seats: num(args.seats, 1),
          price,
          card_id: str(args.card_id),
          insured: false,
          status: "confirmed",
        });
        return { booking_id, price, balance: card.balance, ...(budget === undefined ? {} : { budget_left: budget }) };
      },
      insure: ({ token: given, booking_id }: Args) => {
        signedIn(given);
        const one = bookingOf(booking_id);
        if (one.status === "cancelled") throw new Refusal(`Booking ${one.booking_id} is cancelled.`);
        if (one.insured) throw new Refusal(`Booking ${one.booking_id} is insured already.`);
        const premium = cents(one.price * 0.08);
        charge(cardOf(one.card_id), premium);
        one.insured = true;
        return { booking_id: one.booking_id, premium };
      },
      cancel: ({ token: given, booking_id }: Args) => {
        signedIn(given);
        const one = bookingOf(booking_id);
        if (one.status === "cancelled") throw new Refusal(`Booking ${one.booking_id} is cancelled already.`);
        const refund = cents(one.price * (one.insured ? 1 : one.cabin === "economy" ? 0.5 : 0.8));
        const card = cardOf(one.card_id);
        card.balance = cents(card.balance + refund);
        one.status = "cancelled";
        return { status: "cancelled", refund };
      },
      booking: ({ booking_id }: Args): Data => {
        const { from, to, ...rest } = bookingOf(booking_id);
        return { ...rest, route: { from, to } };
      },
      bookings: ({ token: given, status }: Args) => {
        signedIn(given);
        const found = bookings.filter((one) => status === undefined || one.status === status);
        return {
          count: found.length,
          total: cents(found.reduce((sum, { price }) => sum + price, 0)),
          bookings: found.map(({ booking_id, to, status }) => ({ booking_id, to, status })),
        };
      },
      set_budget: ({ token: given, amount }: Args) => {
        signedIn(given);
        budget = num(amount);
        return `Budget set to ${num(amount)} EUR.`;
      },
      convert: ({ amount, from, to }: Args) => {
        const [one, other] = [RATES[str(from)], RATES[str(to)]];
        if (one === undefined || other === undefined)
          throw new Refusal(`Unknown currency: ${one === undefined ? from : to}`);
        return { amount: cents((num(amount) / one) * other), currency: to };
      },
    };
    const [from, to] = task.some(CITIES, 2) as [string, string];
    const cabin = task.pick([undefined, ...Object.keys(CABINS)]);
    const seats = task.pick([undefined, undefined, 2, 3]);
    const card_id = task.pick([...cards.keys()]);
    const amount = task.between(3, 25) * 100;
    const known = bookings[0]?.booking_id ?? "BK00000";
    const goal = task.between(0, 3);
    let seen = "none";
    function* plan(): Plan {
      const token = fieldOf(yield call("sign_in", { user, pin }), "token") ?? "none";
      seen = token;
      if (goal === 0) {
        yield call("fare", { from, to, cabin, seats });
        const booking_id =
          fieldOf(yield call("book", { token, card_id, from, to, cabin, seats }), "booking_id") ?? known;
        yield call("booking", { booking_id });
        yield call("insure", { token, booking_id });
        yield call("cards", { token });
      } else if (goal === 1) {
        yield call("bookings", { token, status: "confirmed" });
        yield call("cancel", { token, booking_id: known });
        yield call("cards", { token });
        yield call("bookings", { token });
      } else if (goal === 2) {
        yield call("convert", { amount, from: "USD", to: "EUR" });
        yield call("set_budget", { token, amount });
        const booking_id = fieldOf(yield call("book", { token, card_id, from, to, cabin }), "booking_id") ?? known;
        yield call("session_info");
        yield call("cancel", { token, booking_id });
        yield call("booking", { booking_id });
      } else {
        const added =
          fieldOf(yield call("add_card", { token, number: "4711 0815", limit: amount }), "card_id") ?? card_id;
        const booking_id =
          fieldOf(yield call("book", { token, card_id: added, from, to, cabin, seats }), "booking_id") ?? known;
        yield call("insure", { token, booking_id });
        yield call("cancel", { token, booking_id });
        yield call("cards", { token });
        yield call("bookings", { token });
      }
    }
    return {
      request: `I am ${user}, pin ${pin}. From ${from} to ${to}${cabin ? ` in ${cabin}` : ""}${seats ? ` for ${seats}` : ""}, at most ${amount} EUR, on ${card_id}; my old booking is ${known}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("session_info"),
          call("fare", {
            from: random.pick(CITIES),
            to: random.pick(CITIES),
            cabin: random.pick([undefined, "business"]),
          }),
          call("cards", { token: seen }),
          call("bookings", { token: seen, status: random.pick([undefined, "cancelled"]) }),
          call("booking", { booking_id: random.pick([known, "BK12345"]) }),
          call("convert", {
            amount: random.pick([100, 250, amount]),
            from: random.pick(["EUR", "GBP"]),
            to: random.pick(["USD", "NOK", "XYZ"]),
          }),
          call("insure", { token: seen, booking_id: known }),
        ]),
    };
  },
};
