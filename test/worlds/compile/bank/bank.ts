import type { Json, JsonObject } from "../../../../worlds/json.ts";

export interface Customer {
  customer_id: string;
  name: { first: string; last: string };
  postcode: string;
  email: string;
  tier: "basic" | "plus" | "premier";
  online_access: "enabled" | "suspended" | "reset_pending";
  travel_notice: { country: string; until: string } | null;
  devices: { device_id: string; model: string; trusted: boolean }[];
  account_ids: string[];
  card_ids: string[];
}
export interface Account {
  account_id: string;
  customer_id: string;
  type: "current" | "savings";
  balance: number;
  status: "open" | "closed";
}
export type Feature = "contactless" | "online" | "abroad";
export interface Card {
  card_id: string;
  account_id: string;
  last4: string;
  status: "active" | "frozen" | "lost";
  daily_limit: number;
  spent_today: number;
  features: Record<Feature, boolean>;
}
export interface Transaction {
  transaction_id: string;
  account_id: string;
  date: string;
  amount: number;
  merchant: string;
  status: "posted" | "held" | "disputed";
}
interface Dispute {
  dispute_id: string;
  transaction_id: string;
  customer_id: string;
  reason: string;
  status: "open";
}
export type Permission = "notifications" | "location" | "camera";

/** What a customer's phone and the bank's app on it are set to; every task finds another. */
export interface Phone {
  airplane: boolean;
  wifi: boolean;
  data: boolean;
  roaming: boolean;
  abroad: boolean;
  vpn: boolean;
  nfc: boolean;
  automaticTime: boolean;
  version: "7.6" | "8.1";
  signedIn: boolean;
  biometrics: boolean;
  forgotten: boolean;
  wrongPins: number;
  wallet: "ready" | "suspended" | "empty";
  permissions: Record<Permission, boolean>;
  /** The card as the app last fetched it. */
  shown: { status: string; limit: number };
}

/** A bank's records, and the phone of one of its customers. */
export interface Bank {
  readonly customers: Map<string, Customer>;
  readonly accounts: Map<string, Account>;
  readonly cards: Map<string, Card>;
  readonly transactions: Map<string, Transaction>;
  readonly disputes: Map<string, Dispute>;
  readonly phone: Phone;
  /** Whose phone it is, with the card and the account that its app shows. */
  readonly holder: Customer;
  readonly card: Card;
  readonly account: Account;
}

export class Refusal extends Error {}
/** What a tool does to the bank, and answers. */
export type Tool = (bank: Bank, args: JsonObject) => Json;

export const cents = (value: number): number => Math.round(value * 100) / 100;

/** The transaction that waits for the holder's approval in the app. */
export const heldOf = ({ transactions, account }: Bank): Transaction | undefined =>
  [...transactions.values()].find((row) => row.account_id === account.account_id && row.status === "held");

export const cardShown = ({ status, daily_limit }: Card): Phone["shown"] => ({ status, limit: daily_limit });
