import { Random } from "./random.ts";

/** The desk's frozen day. Every date the desk writes is this one. */
export const TODAY = "2026-05-12";

export interface Address {
  street: string;
  city: string;
  postcode: string;
}
/** Money is in cents throughout the seed and the database; answers show units. */
export interface CustomerSeed {
  id: string;
  name: string;
  email: string;
  phone: string;
  address: Address;
  tier: "standard" | "silver" | "gold";
  storeCredit: number;
  memberSince: string;
}
export interface ProductSeed {
  id: string;
  name: string;
  category: string;
  price: number;
  stock: number;
  discontinued: boolean;
}
export interface ItemSeed {
  product: ProductSeed;
  quantity: number;
}
export interface OrderSeed {
  id: string;
  customer: CustomerSeed;
  status: "pending" | "shipped" | "delivered" | "cancelled";
  placedOn: string;
  items: ItemSeed[];
  creditAmount: number;
  deliveredOn: string | null;
  returnsUntil: string | null;
  carrier: string;
  shippedOn: string | null;
  cancelReason: string | null;
}
export interface Seed {
  customers: CustomerSeed[];
  products: ProductSeed[];
  orders: OrderSeed[];
}

const FIRST =
  "Ana Ben Carla David Elena Felix Grace Henrik Ines Jonas Karin Liam Marta Noah Olga Pablo Quinn Rosa Samuel Tessa".split(
    " ",
  );
const LAST =
  "Abbott Berg Castillo Dahl Eriksen Fischer Gomez Hughes Ivanova Jensen Keller Lopez Moreau Novak Okafor Petrov Quist Ruiz Silva Turner".split(
    " ",
  );
const STREETS = [
  "Oak Street",
  "Mill Lane",
  "Harbour Road",
  "Station Road",
  "Church Street",
  "Park Avenue",
  "River Walk",
];
const CITIES: readonly (readonly [city: string, postcode: string])[] = [
  ["Ashford", "41120"],
  ["Brookfield", "52340"],
  ["Clifton", "60215"],
  ["Dunmore", "73450"],
  ["Eastvale", "84560"],
  ["Fairview", "95012"],
];
const CARRIERS = ["Northline", "ParcelOne", "Swiftpost"];

const CATALOGUE: readonly (readonly [category: string, ...products: readonly (readonly [string, number])[]])[] = [
  [
    "lamps",
    ["Aurora Desk Lamp", 3450],
    ["Beacon Floor Lamp", 8900],
    ["Candela Table Lamp", 4200],
    ["Dusk Night Light", 1590],
    ["Ember Wall Lamp", 5775],
  ],
  [
    "chairs",
    ["Alder Office Chair", 18900],
    ["Birch Dining Chair", 7450],
    ["Cedar Armchair", 24900],
    ["Fir Folding Chair", 3990],
    ["Oslo Bar Stool", 6825],
  ],
  [
    "kitchen",
    ["Copper Kettle", 5490],
    ["Granite Mortar", 2850],
    ["Linen Apron", 2275],
    ["Maple Cutting Board", 3180],
    ["Steel Stockpot", 6640],
  ],
  [
    "bedding",
    ["Cloud Pillow", 2990],
    ["Down Duvet", 12900],
    ["Flannel Sheet Set", 6450],
    ["Quilted Throw", 5320],
    ["Wool Blanket", 8975],
  ],
  [
    "garden",
    ["Brass Watering Can", 3375],
    ["Cedar Planter", 4680],
    ["Folding Trowel Set", 1995],
    ["Garden Lantern", 2760],
    ["Hemp Hammock", 7890],
  ],
  [
    "storage",
    ["Canvas Hamper", 3640],
    ["Oak Shelf", 9450],
    ["Rattan Basket", 2485],
    ["Steel Locker", 15900],
    ["Stacking Crate", 1875],
  ],
];

/** The day `days` after `date` (ISO dates, UTC). */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

function products(random: Random): ProductSeed[] {
  const rows: ProductSeed[] = [];
  for (const [category, ...entries] of CATALOGUE)
    for (const [name, price] of entries)
      rows.push({ id: `P-${201 + rows.length}`, name, category, price, stock: random.int(3, 60), discontinued: false });
  for (const i of [3, 9, 17, 22]) (rows[i] as ProductSeed).stock = 0;
  for (const i of [12, 25]) (rows[i] as ProductSeed).discontinued = true;
  for (const i of [5, 20]) (rows[i] as ProductSeed).stock = 2;
  return rows;
}

function customers(random: Random): CustomerSeed[] {
  const rows: CustomerSeed[] = [];
  const last = [...random.shuffle(LAST), ...random.shuffle(LAST)];
  for (let i = 0; i < 40; i++) {
    const [city, postcode] = random.pick(CITIES);
    // Two people share a name and live elsewhere, as in any shop of this size.
    const name = i === 39 ? (rows[4] as CustomerSeed).name : `${FIRST[i % FIRST.length]} ${last[i]}`;
    const [given = "", family = ""] = name.toLowerCase().split(" ");
    rows.push({
      id: `C-${1001 + i}`,
      name,
      email: i === 39 ? `${given[0]}.${family}@example.org` : `${given}.${family}@example.com`,
      phone: `555-01${String(random.int(10, 99))}-${String(random.int(1000, 9999))}`,
      address: { street: `${random.int(1, 180)} ${random.pick(STREETS)}`, city, postcode },
      tier: random.pick(["standard", "standard", "standard", "silver", "silver", "gold"] as const),
      storeCredit: random.chance(0.6) ? random.int(2, 24) * 250 : 0,
      memberSince: daysAfter("2019-01-10", random.int(0, 2500)),
    });
  }
  const [fourth, namesake] = [rows[4] as CustomerSeed, rows[39] as CustomerSeed];
  const elsewhere = CITIES.find(([, postcode]) => postcode !== fourth.address.postcode) as readonly [string, string];
  namesake.address = { street: "12 Mill Lane", city: elsewhere[0], postcode: elsewhere[1] };
  return rows;
}

function items(random: Random, catalogue: readonly ProductSeed[]): ItemSeed[] {
  const chosen = random.shuffle(catalogue).slice(0, random.pick([1, 1, 2, 2, 3]));
  return chosen.map((product) => ({ product, quantity: random.pick([1, 1, 1, 2, 3]) }));
}

/** What an order costs, in cents. */
export function totalOf(lines: readonly ItemSeed[]): number {
  return lines.reduce((sum, line) => sum + line.product.price * line.quantity, 0);
}

function orders(random: Random, people: readonly CustomerSeed[], catalogue: readonly ProductSeed[]): OrderSeed[] {
  const rows: OrderSeed[] = [];
  for (let i = 0; i < 150; i++) {
    const status = random.pick([
      "pending",
      "pending",
      "shipped",
      "delivered",
      "delivered",
      "delivered",
      "cancelled",
    ] as const);
    const age = {
      pending: random.int(0, 4),
      shipped: random.int(4, 8),
      delivered: random.int(9, 80),
      cancelled: random.int(3, 60),
    }[status];
    const placedOn = daysAfter(TODAY, -age);
    const shippedOn = status === "shipped" || status === "delivered" ? daysAfter(placedOn, 2) : null;
    const deliveredOn = status === "delivered" ? daysAfter(placedOn, random.int(4, 8)) : null;
    const lines = items(random, catalogue);
    rows.push({
      id: "",
      customer: people[i < people.length ? i : random.int(0, people.length - 1)] as CustomerSeed,
      status,
      placedOn,
      items: lines,
      creditAmount: random.chance(0.2) ? Math.min(1000, totalOf(lines)) : 0,
      deliveredOn,
      returnsUntil: deliveredOn && daysAfter(deliveredOn, 30),
      carrier: random.pick(CARRIERS),
      shippedOn,
      cancelReason:
        status === "cancelled" ? random.pick(["no_longer_needed", "ordered_by_mistake", "too_slow", "other"]) : null,
    });
  }
  rows.sort((a, b) => (a.placedOn < b.placedOn ? -1 : a.placedOn > b.placedOn ? 1 : 0));
  for (const [i, row] of rows.entries()) row.id = `SO-${10001 + i}`;
  return rows;
}

/** The desk's records on its frozen day: 40 customers, 30 products, 150 orders; always the same. */
export function seedRows(): Seed {
  const random = new Random(20260512);
  const catalogue = products(random);
  const people = customers(random);
  return { customers: people, products: catalogue, orders: orders(random, people, catalogue) };
}
