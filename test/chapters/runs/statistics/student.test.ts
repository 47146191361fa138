import { expect, test } from "vitest";
import { studentPoint } from "../../../../chapters/runs/statistics/student.ts";

test.each([
  [1, 6.314, 12.706],
  [2, 2.92, 4.303],
  [3, 2.353, 3.182],
  [4, 2.132, 2.776],
  [9, 1.833, 2.262],
  [19, 1.729, 2.093],
  [49, 1.677, 2.01],
  [120, 1.658, 1.98],
])("Student's t with %i degrees of freedom as in Fisher and Yates' table III", (freedom, ninety, ninetyFive) => {
  expect(studentPoint(0.95, freedom)).toBeCloseTo(ninety, 3);
  expect(studentPoint(0.975, freedom)).toBeCloseTo(ninetyFive, 3);
  expect(studentPoint(0.025, freedom)).toBeCloseTo(-ninetyFive, 3);
});
