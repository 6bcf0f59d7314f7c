import { scenesOf } from "./matrix.ts";
import { plays } from "./stage.ts";

plays("placed: everywhere", scenesOf("everywhere"));
