export { sameValue as jsonEqual } from "../apis/index.ts";
