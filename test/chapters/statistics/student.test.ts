import { expect, test } from "vitest";
import { studentPoint } from "../../../chapters/statistics/student.ts";

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

test.each([
  [0.6, 9_999, 0.2533538441198358],
  [0.8, 59, 0.8477559493813869],
  [0.9, 7.5, 1.405211846415953],
  [0.95, 3, 2.3533634348018224],
  [0.975, 1, 12.706204736174694],
  [0.975, 29, 2.045229642132704],
  [0.995, 5, 4.032142983555228],
  [0.999, 10, 4.14370049404659],
  [0.9995, 250, 3.329867205673151],
])(
  "Student's t of %f with %f degrees of freedom agrees with another implementation (stdlib's)",
  (share, freedom, t) => {
    expect(Math.abs(studentPoint(share, freedom) / t - 1)).toBeLessThan(1e-9);
  },
);
