import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "../services.ts";

export const KEEPERS = ["Ana", "Bru", "Cleo"];
const BREEDS = ["collie", "poodle", "terrier"];
const SORTS = ["age", "name"];
const PAGE = 3;

interface Dog {
  tag: string;
  name: string;
  breed: string;
  age: number;
  keeper: string;
}

const firstDogs = (): Dog[] =>
  ["Rex", "Ivy", "Odo", "Zoe", "Bob", "Una", "Kit", "Lea", "Max", "Pip", "Sam", "Tia"].map((name, i) => ({
    tag: `D${i + 11}`,
    name,
    breed: BREEDS[((i * 5) % 3) ^ (i % 2)] ?? "poodle",
    age: 1 + ((i * 7) % 5),
    keeper: KEEPERS[(i + (i >> 2)) % 3] as string,
  }));

/**
 * A kennel: lists in pages that an argument sorts, lists of who is signed in, and dogs that are shown to their keeper
 * alone. Who is signed in first differs by task, and no answer says it. A tag that no dog has is answered in words.
 */
export class Kennel implements Service {
  readonly tools = ["find_dogs", "list_own_dogs", "show_dog", "rename_dog", "get_weight", "change_keeper"];
  private readonly dogs = firstDogs();
  private keeper: string;

  constructor(task: number) {
    this.keeper = KEEPERS[task % 3] as string;
  }

  call(tool: string, { breed, sort, page, most, tag, name, keeper }: JsonObject): Answered {
    if (tool === "change_keeper") {
      this.keeper = String(keeper);
      return data({ keeper: this.keeper });
    }
    if (tool === "list_own_dogs")
      return data(this.dogs.filter((dog) => dog.keeper === this.keeper).slice(0, Number(most ?? PAGE * PAGE)));
    if (tool === "find_dogs") {
      const found = this.dogs.filter((dog) => breed === undefined || dog.breed === breed);
      if (sort === "age") found.sort((a, b) => b.age - a.age);
      if (sort === "name") found.sort((a, b) => (a.name < b.name ? -1 : 1));
      const start = (Number(page ?? 1) - 1) * PAGE;
      return data({ total: found.length, page: page ?? 1, dogs: found.slice(start, start + PAGE) });
    }
    const dog = this.dogs.find((one) => one.tag === tag);
    if (!dog) return { result: `No dog with tag ${tag}.`, isError: false };
    if (tool === "get_weight") return data({ tag: dog.tag, weight: dog.age * 4 });
    if (dog.keeper !== this.keeper) return refused(`Dog ${tag} has another keeper`);
    if (tool === "rename_dog") dog.name = String(name);
    return data(dog);
  }

  ask(random: Random): Asked {
    const tag = `D${random.int(10, 23)}`;
    if (random.chance(0.4)) {
      const breed = random.chance(0.5) ? { breed: random.pick(BREEDS) } : {};
      const sort = random.chance(0.5) ? { sort: random.pick(SORTS) } : {};
      return ["find_dogs", { ...breed, ...sort, ...(random.chance(0.3) ? { page: random.int(2, 3) } : {}) }];
    }
    if (random.chance(0.25)) return ["list_own_dogs", random.chance(0.5) ? { most: random.int(1, 3) } : {}];
    if (random.chance(0.1)) return ["change_keeper", { keeper: random.pick(KEEPERS) }];
    if (random.chance(0.15)) return ["rename_dog", { tag, name: random.pick(["Abe", "Fay", "Wim"]) }];
    return [random.chance(0.2) ? "get_weight" : "show_dog", { tag }];
  }
}
