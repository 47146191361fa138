/** What a field holds by its name: an identifying value of some form. */
export type FieldClass = "id" | "name" | "email" | "phone" | "address" | "number" | "day";

const PERSONS =
  "first|last|middle|full|given|family|maiden|display|preferred|legal|user|customer|passenger|traveler|traveller|contact|holder|cardholder|account_holder|recipient|owner|author|member|employee|patient|client|sender|guest|driver|buyer|seller|agent|manager|person|billing|shipping";

/** Ordered: the first that fits a field's name decides. Names are compared in snake case. */
const CLASSES: readonly (readonly [FieldClass, RegExp])[] = [
  ["email", /(?:^|_)e?_?mails?(?:_address(?:es)?)?$/],
  ["phone", /(?:^|_)(?:phones?|mobile|cell|cellphone|fax|tel|telephone|whatsapp|msisdn)(?:_?numbers?|_?no)?$/],
  ["day", /(?:^|_)(?:dob|birth_?da(?:y|te)|date_of_birth|born(?:_on)?)$/],
  [
    "number",
    /(?:^|_)(?:card|card_?numbers?|credit_card|pan|iban|bic|swift|cvv|cvc|last_?four|last_?4|ssn|social_security(?:_number)?|passport(?:_number)?|licen[cs]e(?:_number)?|tax_id|national_id|ip|ip_?addr(?:ess)?|mac_?address|imei|imsi|iccid)$/,
  ],
  [
    "address",
    /(?:^|_)(?:address(?:es)?_?\d?|addr|street(?:_?address)?|line_?\d|city|town|village|zip|zip_?code|postal|postal_?code|postcode|apartment|apt|latitude|longitude|lat|lng)$/,
  ],
  ["name", new RegExp(`(?:^|_)(?:${PERSONS})_?names?$|^(?:surname|nickname|fullname|firstname|lastname)s?$`)],
  ["name", /^(?:assignee|reporter|attendees|participants|beneficiary|next_of_kin|spouse|cardholder|signed_by)$/],
  [
    "id",
    /(?:^|_)(?:ids?|uuids?|guid|username|user_?login|login|handle)$|_(?:number|ref|reference)s?$|^(?:reference|reservation|confirmation)$/,
  ],
];

/** Fields of which one stands beside the `name` of a thing, such as a product or a tool. */
const THINGS =
  /^(?:price|cost|sku|product_id|item_id|variants?|quantity|stock|category|description|version|input_?schema|parameters|type|brand|model|available|options|title|path|size|mime_?type)$/;
/** Fields that a person has, and a thing has not. */
const OF_PEOPLE =
  /(?:^|_)(?:e_?mail|phone|mobile|dob|birth_?date|address|first_name|last_name|user_id|customer_id|member_id|patient_id|employee_id|age|gender|role)$/;
const PEOPLE =
  /^(?:user|users|customer|customers|passenger|passengers|contact|contacts|owner|author|member|members|employee|employees|patient|patients|client|person|people|guest|guests|profile|recipient|sender|name|names)$/;

const SNAKE = new Map<string, string>();

const KNOWN = new Map<string, FieldClass | null>();

/** A field's name in lower snake case. */
export function snakeCase(name: string): string {
  const known = SNAKE.get(name);
  if (known !== undefined) return known;
  const made = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[\s.-]+/g, "_")
    .toLowerCase();
  if (SNAKE.size < 10_000) SNAKE.set(name, made);
  return made;
}

/**
 * What a field holds, by its name; `siblings` are the fields beside it and `parent` the field that holds them all, which
 * tell a person's name from a thing's. Undefined: nothing that identifies, as far as its name says.
 */
export function classOfField(
  field: string,
  siblings: readonly string[],
  parent: string | undefined,
): FieldClass | "thing" | undefined {
  const name = snakeCase(field);
  if (name === "name" || name === "names") {
    const ofPerson =
      (parent !== undefined && PEOPLE.test(snakeCase(parent))) ||
      siblings.some((each) => OF_PEOPLE.test(snakeCase(each)));
    return !ofPerson && siblings.some((each) => THINGS.test(snakeCase(each))) ? "thing" : "name";
  }
  const known = KNOWN.get(name);
  if (known !== undefined) return known ?? undefined;
  const found = CLASSES.find(([, pattern]) => pattern.test(name))?.[0];
  if (KNOWN.size < 10_000) KNOWN.set(name, found ?? null);
  return found;
}

/** A line's field in a text that is no JSON: `Name: …`, `'email': '…'`. */
export function classOfLabel(label: string): FieldClass | undefined {
  const found = classOfField(label.trim(), [], undefined);
  return found === "thing" ? undefined : found;
}
