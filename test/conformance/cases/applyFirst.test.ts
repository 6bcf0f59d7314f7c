import { conformance } from "../framework/conformance.ts";
import { apply, create, get, type AskOptions } from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("configmaps/a", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("configmaps/a", config, options);

/** No object ever has the version "1", so an apply with this version creates the object or is refused. */
const FIRST = { resourceVersion: "1" };
const NOT_FIRST = { gives: 409, saying: "the object has been modified" };

conformance("apply with the resourceVersion that no object has", {
  "creates what is not there": [
    first({ metadata: FIRST, data: { x: "1" } }),
    apply("services/a", { metadata: FIRST, spec: { ports: [{ port: 80 }], selector: { app: "a" } } }, { gives: 201 }),
    apply("secrets/a", { metadata: FIRST, data: { x: "MQ==" } }, { gives: 201 }),
    get("configmaps/a"),
  ],
  "is refused where somebody's object has the name, also with force": [
    create("configmaps", { metadata: { name: "a" }, data: { x: "1" } }, { manager: "creator" }),
    again({ metadata: FIRST, data: { y: "1" } }, NOT_FIRST),
    again({ metadata: FIRST, data: { y: "1" } }, { ...NOT_FIRST, force: true }),
    again({ metadata: FIRST, data: { x: "2" } }, { gives: 409, saying: 'conflict with "creator"' }),
    again({ metadata: FIRST, data: { x: "2" } }, { ...NOT_FIRST, force: true }),
    get("configmaps/a"),
  ],
  "is refused where the applier's own object has the name, though nothing would change": [
    first({ metadata: FIRST, data: { x: "1" } }),
    again({ metadata: FIRST, data: { x: "1" } }, NOT_FIRST),
    again({ metadata: FIRST, data: { x: "1" } }, { ...NOT_FIRST, force: true }),
    again({ metadata: FIRST, data: { x: "2" } }, { ...NOT_FIRST, force: true }),
    get("configmaps/a"),
  ],
});
