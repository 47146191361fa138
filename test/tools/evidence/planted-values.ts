/** Somebody who does not exist, with everything that would identify them. */
export interface Planted {
  readonly given: string;
  readonly family: string;
  readonly userId: string;
  readonly email: string;
  readonly phone: string;
  readonly card: string;
  readonly street: string;
  readonly city: string;
  readonly ssn: string;
  readonly order: string;
}

const SYLLABLES = "bra cku dwo fle gno hro jva kwe lmo myl nkr plu quo rza sfe tvi ulb vro wex zyg".split(" ");

/** A made-up word of four syllables; another number, another word. */
function word(n: number): string {
  let left = n * 7919 + 104_729;
  let text = "";
  for (let i = 0; i < 4; i++) {
    text += SYLLABLES[left % SYLLABLES.length];
    left = Math.floor(left / 3) + 31 * (i + n + 1);
  }
  return text;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const digits = (n: number, size: number) => String((n * 48_271_337 + 7_777_777) % 10 ** size).padStart(size, "7");

/** The n-th of them. */
export function person(n: number): Planted {
  const [given, family, host, street, city] = [1, 2, 3, 4, 5].map((i) => word(n * 5 + i)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const card = `4929 ${digits(n + 3, 4)} ${digits(n + 5, 4)} ${digits(n + 9, 4)}`;
  return {
    given: capital(given),
    family: capital(family),
    userId: `${given}_${family}_${digits(n, 4)}`,
    email: `${given}.${family}@${host}.example`,
    phone: `+1 (555) ${digits(n + 11, 3)}-${digits(n + 13, 4)}`,
    card,
    street: `${100 + n} ${capital(street)} Lane`,
    city: capital(city),
    ssn: `${digits(n + 17, 3)}-${digits(n + 19, 2)}-${digits(n + 23, 4)}`,
    order: `W${digits(n + 29, 9)}`,
  };
}

/** What nobody may find of a person: words without their capitals, and numbers as they are written. */
export function tokensOf({ given, family, email, phone, card, street, city, ssn, order }: Planted): string[] {
  const host = email.split("@")[1]?.split(".")[0] ?? "";
  const words = [given, family, street.split(" ")[1] ?? "", city].map((text) => text.slice(1));
  return [...words, host, phone.slice(-8), card, card.replaceAll(" ", ""), ssn, order];
}

/** A value that identifies nobody. */
export const VALUE = "velvetine grade";

/** What a person asked for, and what tools told of them. */
export interface PlantedSession {
  readonly id: string;
  readonly request: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly args: Record<string, unknown>;
    readonly result: unknown;
  }[];
  readonly answer: string;
}

/** A session in which a person says who they are, and tools answer with all that is known of them. */
export function sessionOf(who: Planted, i: number): PlantedSession {
  const { given, family, userId, email, phone, card, street, city, ssn, order } = who;
  const user = {
    user_id: userId,
    name: { first_name: given, last_name: family },
    email,
    phone,
    ssn,
    address: { address1: street, city, zip: `0${19_000 + i}` },
    contacts: { [email]: { preferred: true } },
    payment_methods: [{ kind: "card", card_number: card, holder_name: `${given} ${family}` }],
    level: VALUE,
  };
  const placed = {
    order_id: order,
    user_id: userId,
    status: "open",
    total: 12.5 + i,
    recipient: { full_name: `${given} ${family}`, street_address: street },
    notes: `Ring ${given} ${family} at ${phone}.`,
  };
  return {
    id: `session-${i}`,
    request: `Hello, I'm ${given} ${family}, ${email}, phone ${phone}. Cancel my order ${order}. I live at ${street}, ${city}; card ${card}, SSN ${ssn}.`,
    calls: [
      { tool: "get_user", args: { user_id: userId }, result: user },
      { tool: "get_order", args: { order_id: order }, result: placed },
      { tool: "cancel_order", args: { order_id: order, email }, result: { ...placed, status: "cancelled" } },
    ],
    answer: `${given}, order ${order} is cancelled; a mail went to ${email}.`,
  };
}
