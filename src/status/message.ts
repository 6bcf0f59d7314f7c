export { shortMessage } from "../apis/index.ts";
