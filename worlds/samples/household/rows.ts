import type { BaseState } from "../../bundle.ts";

type Rows = Record<string, Record<string, unknown>>;

/** Rows keyed by their first column. */
function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): Rows {
  return Object.fromEntries(
    rows.map((row) => [String(row[0]), Object.fromEntries(columns.map((column, i) => [column, row[i]]))]),
  );
}

/** The drawn state of the household: every row is made up, and every one is fixed. */
export const householdRows: BaseState = {
  tables: {
    members: table(
      ["member_id", "name", "role", "phone"],
      [
        ["M-11", "Ruth Okafor", "adult", "555-0142"],
        ["M-12", "Daniel Okafor", "adult", "555-0187"],
        ["M-13", "Tessa Okafor", "child", "555-0163"],
        ["M-14", "Milo Okafor", "child", "555-0119"],
      ],
    ),
    chores: table(
      ["chore_id", "title", "room", "member_id", "due_on", "minutes", "status"],
      [
        ["C-201", "Wash the windows", "kitchen", "M-11", "2026-03-14", 45, "open"],
        ["C-202", "Fold the laundry", "bedroom", "M-13", "2026-03-12", 25, "open"],
        ["C-203", "Water the plants", "balcony", "M-14", "2026-03-11", 10, "done"],
        ["C-204", "Vacuum the stairs", "hall", "M-12", "2026-03-13", 20, "open"],
        ["C-205", "Descale the kettle", "kitchen", "M-12", "2026-03-16", 15, "open"],
        ["C-206", "Sort the recycling", "garage", "M-14", "2026-03-12", 30, "open"],
        ["C-207", "Polish the mirror", "bathroom", "M-13", "2026-03-10", 12, "done"],
        ["C-208", "Sweep the terrace", "garden", "M-11", "2026-03-17", 35, "open"],
      ],
    ),
    pantry: table(
      ["item_id", "name", "shelf", "quantity", "unit", "best_before"],
      [
        ["P-31", "Basmati rice", "dry goods", 4, "bags", "2027-01-20"],
        ["P-32", "Chopped tomatoes", "tins", 9, "tins", "2027-08-02"],
        ["P-33", "Oat milk", "fridge", 3, "cartons", "2026-03-21"],
        ["P-34", "Olive oil", "dry goods", 2, "bottles", "2026-11-09"],
        ["P-35", "Chickpeas", "tins", 6, "tins", "2028-02-14"],
        ["P-36", "Butter", "fridge", 5, "packs", "2026-04-30"],
      ],
    ),
    appointments: table(
      ["appointment_id", "member_id", "title", "on", "at", "status"],
      [
        ["A-501", "M-13", "Dentist", "2026-03-18", "15:30", "planned"],
        ["A-502", "M-14", "Swimming lesson", "2026-03-19", "16:45", "planned"],
        ["A-503", "M-11", "Optician", "2026-03-05", "09:15", "over"],
        ["A-504", "M-12", "Car inspection", "2026-03-23", "08:00", "planned"],
        ["A-505", "M-11", "Choir rehearsal", "2026-03-20", "19:10", "planned"],
      ],
    ),
  },
  drawn: {},
};
