import { crdCases } from "./crdCases.ts";
import { expressionCases } from "./expressionCases.ts";
import { functionCases } from "./functionCases.ts";
import { ruleCases } from "./ruleCases.ts";
import type { SchemaCase } from "./shapes.ts";
import { valueCases } from "./valueCases.ts";

/** What a real API server was asked; its answers stand in testdata/answers.json, written by test/conformance/recordSchemas.ts. */
export const schemaCases: readonly SchemaCase[] = [
  ...valueCases,
  ...expressionCases,
  ...ruleCases,
  ...functionCases,
  ...crdCases,
];
