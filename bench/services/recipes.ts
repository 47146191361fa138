import { Random } from "./random.ts";
import { type Args, call, cents, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const DISHES = [
  "Lentil Soup",
  "Rye Bread",
  "Tomato Tart",
  "Rice Pudding",
  "Fish Pie",
  "Bean Stew",
  "Plum Cake",
  "Leek Omelette",
];
const TAGS = ["quick", "vegan", "sweet", "winter"];
const ITEMS: Readonly<Record<string, string>> = {
  flour: "g",
  rice: "g",
  tomato: "pcs",
  egg: "pcs",
  milk: "ml",
  butter: "g",
  bean: "g",
  leek: "pcs",
};
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const slug = (title: string) => title.toLowerCase().replaceAll(" ", "-");

interface Recipe {
  id: string;
  title: string;
  servings: number;
  tags: string[];
  items: Map<string, number>;
  steps: string[];
  stars: number[];
}

/** Every session starts with the first six dishes. */
function firstRecipes(): Recipe[] {
  const random = new Random("recipes");
  return DISHES.slice(0, 6).map((title) => ({
    id: slug(title),
    title,
    servings: random.pick([2, 4, 6]),
    tags: random.some(TAGS, random.between(1, 2)),
    items: new Map(
      random
        .some(Object.keys(ITEMS), random.between(2, 4))
        .map((item) => [item, random.between(1, 10) * (ITEMS[item] === "pcs" ? 1 : 50)]),
    ),
    steps: random.some(
      ["Mix everything.", "Bake for 40 minutes.", "Let it rest.", "Simmer gently."],
      random.between(1, 3),
    ),
    stars: Array.from({ length: random.between(0, 3) }, () => random.between(1, 5)),
  }));
}

/** A kitchen's MCP server that answers in text alone: Markdown, labelled lines, lists, and sentences; one first state. */
export const recipes: InventedService = {
  name: "recipes",
  form: "mcp",
  refusals: "flag",
  tools: [
    tool("list_recipes", "Lists recipes as Markdown.", { tag: "string?" }),
    tool("show_recipe", "Shows a recipe.", { recipe: "string", servings: "integer? amounts for so many" }),
    tool("add_recipe", "Adds a recipe.", { title: "string", servings: "integer", tags: "list?" }),
    tool("add_ingredient", "Adds to the ingredients of a recipe.", {
      recipe: "string",
      item: "string",
      amount: "number",
    }),
    tool("add_step", "Adds a step at the end.", { recipe: "string", step: "string" }),
    tool("rate", "Rates a recipe with one to five stars.", { recipe: "string", stars: "integer" }),
    tool("plan_meal", "Plans a recipe for a day; replaces what was planned.", {
      day: "string",
      recipe: "string",
      guests: "integer? as many as the recipe serves",
    }),
    tool("show_plan", "Shows the week's plan."),
    tool("shopping_list", "Sums up the ingredients of all planned meals."),
    tool("remove_recipe", "Removes a recipe that is not planned.", { recipe: "string" }),
  ],
  start(task, _session) {
    let recipes = firstRecipes();
    const plan = new Map<string, { recipe: Recipe; guests: number }>();
    const recipeOf = (id: unknown) => {
      const found = recipes.find((one) => one.id === id);
      if (!found) throw new Refusal(`Error: there is no recipe "${id}". Use list_recipes to see what there is.`);
      return found;
    };
    const itemOf = (item: unknown) => {
      const unit = ITEMS[str(item)];
      if (unit === undefined) throw new Refusal(`Error: unknown item "${item}".`);
      return unit;
    };
    const amount = (item: string, value: number) => `${cents(value)} ${itemOf(item)} ${item}`;
    const rating = ({ stars }: Recipe) =>
      stars.length === 0
        ? "not rated"
        : `${(stars.reduce((sum, n) => sum + n, 0) / stars.length).toFixed(1)} of 5 (${stars.length})`;
    const handlers = {
      list_recipes: ({ tag }: Args) => {
        const found = recipes.filter(({ tags }) => tag === undefined || tags.includes(str(tag)));
        if (found.length === 0) return `No recipes with tag "${tag}".`;
        return [
          `## Recipes (${found.length})`,
          "",
          ...found.map(
            (one) => `- **${one.title}** (${one.id}), serves ${one.servings}, ${one.tags.join(", ") || "no tags"}`,
          ),
        ].join("\n");
      },
      show_recipe: ({ recipe, servings }: Args) => {
        const one = recipeOf(recipe);
        const factor = num(servings, one.servings) / one.servings;
        return [
          `# ${one.title}`,
          `Serves: ${num(servings, one.servings)}`,
          `Tags: ${one.tags.join(", ") || "none"}`,
          `Rating: ${rating(one)}`,
          "Ingredients:",
          ...(one.items.size === 0
            ? ["- none yet"]
            : [...one.items].map(([item, value]) => `- ${amount(item, value * factor)}`)),
          ...(one.steps.length === 0 ? [] : ["Steps:", ...one.steps.map((step, i) => `${i + 1}. ${step}`)]),
        ].join("\n");
      },
      add_recipe: ({ title, servings, tags }: Args) => {
        const id = slug(str(title));
        if (recipes.some((one) => one.id === id)) throw new Refusal(`Error: "${id}" exists already.`);
        recipes.push({
          id,
          title: str(title),
          servings: num(servings),
          tags: (tags as string[] | undefined) ?? [],
          items: new Map(),
          steps: [],
          stars: [],
        });
        return `Added "${title}" as ${id}. There are now ${recipes.length} recipes.`;
      },
      add_ingredient: ({ recipe, item, amount: value }: Args) => {
        const one = recipeOf(recipe);
        itemOf(item);
        one.items.set(str(item), (one.items.get(str(item)) ?? 0) + num(value));
        return `${one.title} now needs ${amount(str(item), one.items.get(str(item)) as number)}.`;
      },
      add_step: ({ recipe, step }: Args) => {
        const one = recipeOf(recipe);
        one.steps.push(str(step));
        return `Step ${one.steps.length} of ${one.title}: ${step}`;
      },
      rate: ({ recipe, stars }: Args) => {
        const one = recipeOf(recipe);
        if (num(stars) < 1 || num(stars) > 5) throw new Refusal(`Error: ${stars} is not between 1 and 5.`);
        one.stars.push(num(stars));
        return `${one.title}: ${rating(one)}`;
      },
      plan_meal: ({ day, recipe, guests }: Args) => {
        if (!DAYS.includes(str(day))) throw new Refusal(`Error: "${day}" is not a working day.`);
        const one = recipeOf(recipe);
        const before = plan.get(str(day));
        plan.set(str(day), { recipe: one, guests: num(guests, one.servings) });
        return before
          ? `${day}: ${one.title} instead of ${before.recipe.title}.`
          : `${day}: ${one.title} for ${num(guests, one.servings)}.`;
      },
      show_plan: () =>
        DAYS.map(
          (day) => `${day}: ${plan.has(day) ? `${plan.get(day)?.recipe.title} (${plan.get(day)?.guests})` : "-"}`,
        ).join("\n"),
      shopping_list: () => {
        const total = new Map<string, number>();
        for (const { recipe, guests } of plan.values())
          for (const [item, value] of recipe.items)
            total.set(item, (total.get(item) ?? 0) + (value * guests) / recipe.servings);
        return total.size === 0
          ? "Nothing to buy."
          : [
              "Shopping list:",
              ...[...total].sort(([a], [b]) => (a < b ? -1 : 1)).map(([item, value]) => `[ ] ${amount(item, value)}`),
            ].join("\n");
      },
      remove_recipe: ({ recipe }: Args) => {
        const one = recipeOf(recipe);
        const day = [...plan].find(([, meal]) => meal.recipe === one)?.[0];
        if (day !== undefined) throw new Refusal(`Error: "${one.id}" is planned for ${day}.`);
        recipes = recipes.filter((other) => other !== one);
        return `Removed ${one.title}. ${recipes.length} recipes are left.`;
      },
    };
    const title = task.pick(DISHES);
    const [one, two] = task.some(
      recipes.map(({ id }) => id),
      2,
    ) as [string, string];
    const [day, later] = task.some(DAYS, 2) as [string, string];
    const item = task.pick(Object.keys(ITEMS));
    const guests = task.pick([undefined, 3, 8]);
    const tag = task.pick(TAGS);
    const goal = task.between(0, 3);
    function* planned(): Plan {
      if (goal === 0) {
        yield call("add_recipe", { title, servings: task.pick([2, 3, 4]), tags: task.pick([undefined, [tag]]) });
        yield call("add_ingredient", { recipe: slug(title), item, amount: task.between(1, 9) * 25 });
        yield call("add_step", { recipe: slug(title), step: task.pick(["Serve warm.", "Chill overnight."]) });
        yield call("show_recipe", { recipe: slug(title) });
        yield call("list_recipes", { tag: task.pick([undefined, tag]) });
      } else if (goal === 1) {
        yield call("list_recipes", { tag });
        yield call("plan_meal", { day, recipe: one, guests });
        yield call("plan_meal", { day: later, recipe: two });
        yield call("shopping_list");
        yield call("show_plan");
      } else if (goal === 2) {
        yield call("show_recipe", { recipe: one, servings: guests });
        yield call("rate", { recipe: one, stars: task.between(1, 6) });
        yield call("rate", { recipe: two, stars: task.between(1, 5) });
        yield call("show_recipe", { recipe: two });
      } else {
        yield call("plan_meal", { day, recipe: one });
        yield call("remove_recipe", { recipe: one });
        yield call("plan_meal", { day, recipe: two, guests });
        yield call("remove_recipe", { recipe: one });
        yield call("list_recipes");
        yield call("shopping_list");
      }
    }
    return {
      request: `Kitchen: '${title}', ${one} and ${two}. ${day} or ${later}${guests ? ` for ${guests}` : ""}, something ${tag}, with ${item}.`,
      handlers,
      plan: planned(),
      stray: (random) =>
        random.pick([
          call("list_recipes", { tag: random.pick([undefined, tag, "raw"]) }),
          call("show_recipe", { recipe: random.pick([one, two, slug(random.pick(DISHES))]) }),
          call("show_plan"),
          call("shopping_list"),
          call("rate", { recipe: one, stars: random.between(0, 5) }),
          call("add_ingredient", { recipe: two, item: random.pick([item, "sand"]), amount: random.pick([10, 50]) }),
          call("plan_meal", { day: random.pick([day, "Sunday"]), recipe: two }),
        ]),
    };
  },
};
