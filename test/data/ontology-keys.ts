import type { OntologyKey } from "../worlds/ontology/key.ts";

const AIRLINE_REFERENCES: OntologyKey["references"] = [
  ["reservation.user_id", "user"],
  ["reservation.flights[].flight_number", "flight"],
  ["reservation.payment_history[].payment_id", "payment_method"],
  ["reservation.origin", "airport"],
  ["reservation.destination", "airport"],
  ["flight.origin", "airport"],
  ["flight.destination", "airport"],
  ["user.reservations[]", "reservation"],
  ["book_reservation.user_id", "user"],
  ["book_reservation.origin", "airport"],
  ["book_reservation.destination", "airport"],
  ["book_reservation.flights[].flight_number", "flight"],
  ["book_reservation.payment_methods[].payment_id", "payment_method"],
  ["cancel_reservation.reservation_id", "reservation"],
  ["get_reservation_details.reservation_id", "reservation"],
  ["get_user_details.user_id", "user"],
  ["search_direct_flight.origin", "airport"],
  ["search_direct_flight.destination", "airport"],
  ["search_onestop_flight.origin", "airport"],
  ["search_onestop_flight.destination", "airport"],
  ["send_certificate.user_id", "user"],
  ["update_reservation_baggages.reservation_id", "reservation"],
  ["update_reservation_baggages.payment_id", "payment_method"],
  ["update_reservation_flights.reservation_id", "reservation"],
  ["update_reservation_flights.flights[].flight_number", "flight"],
  ["update_reservation_flights.payment_id", "payment_method"],
  ["update_reservation_passengers.reservation_id", "reservation"],
];

const AIRLINE_WRITES = [
  "book_reservation",
  "cancel_reservation",
  "send_certificate",
  "transfer_to_human_agents",
  "update_reservation_baggages",
  "update_reservation_flights",
  "update_reservation_passengers",
];

const AIRLINE_READS = [
  "calculate",
  "get_reservation_details",
  "get_user_details",
  "list_all_airports",
  "search_direct_flight",
  "search_onestop_flight",
];

/** Written by hand from airline/tools.tau2.json. */
export const AIRLINE: OntologyKey = {
  services: ["airline"],
  reads: [...AIRLINE_READS, "get_flight_status"],
  writes: AIRLINE_WRITES,
  entities: {
    user: "membership",
    reservation: "cabin",
    flight: "scheduled_departure_time_est",
    payment_method: "source",
    airport: "iata",
  },
  references: [...AIRLINE_REFERENCES, ["get_flight_status.flight_number", "flight"]],
};

/** Written by hand from airline/tools.tau-bench-v1.json; its airports are answered as a map from code to city. */
export const AIRLINE_V1: OntologyKey = {
  services: ["airline v1"],
  reads: [...AIRLINE_READS, "think"],
  writes: AIRLINE_WRITES,
  entities: { ...AIRLINE.entities, airport: "key" },
  references: AIRLINE_REFERENCES,
};

/** Written by hand from retail/tools.tau2.json. */
export const RETAIL: OntologyKey = {
  services: ["retail"],
  reads: [
    "calculate",
    "find_user_id_by_email",
    "find_user_id_by_name_zip",
    "get_item_details",
    "get_order_details",
    "get_product_details",
    "get_user_details",
    "list_all_product_types",
  ],
  writes: [
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "modify_user_address",
    "return_delivered_order_items",
    "transfer_to_human_agents",
  ],
  entities: {
    user: "email",
    order: "payment_history[].transaction_type",
    product: "product_id",
    item: "available",
    payment_method: "source",
  },
  references: [
    ["order.user_id", "user"],
    ["order.items[].product_id", "product"],
    ["order.items[].item_id", "item"],
    ["order.fulfillments[].item_ids[]", "item"],
    ["order.payment_history[].payment_method_id", "payment_method"],
    ["user.orders[]", "order"],
    ["cancel_pending_order.order_id", "order"],
    ["exchange_delivered_order_items.order_id", "order"],
    ["exchange_delivered_order_items.item_ids[]", "item"],
    ["exchange_delivered_order_items.new_item_ids[]", "item"],
    ["exchange_delivered_order_items.payment_method_id", "payment_method"],
    ["get_item_details.item_id", "item"],
    ["get_order_details.order_id", "order"],
    ["get_product_details.product_id", "product"],
    ["get_user_details.user_id", "user"],
    ["modify_pending_order_address.order_id", "order"],
    ["modify_pending_order_items.order_id", "order"],
    ["modify_pending_order_items.item_ids[]", "item"],
    ["modify_pending_order_items.new_item_ids[]", "item"],
    ["modify_pending_order_items.payment_method_id", "payment_method"],
    ["modify_pending_order_payment.order_id", "order"],
    ["modify_pending_order_payment.payment_method_id", "payment_method"],
    ["modify_user_address.user_id", "user"],
    ["return_delivered_order_items.order_id", "order"],
    ["return_delivered_order_items.item_ids[]", "item"],
    ["return_delivered_order_items.payment_method_id", "payment_method"],
  ],
};
