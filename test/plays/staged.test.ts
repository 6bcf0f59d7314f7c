import { scenesOf } from "./matrix.ts";
import { plays } from "./stage.ts";

plays("placed: staged", scenesOf("staged"));
