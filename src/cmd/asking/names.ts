import { QUERY_GROUP } from "../../apis/index.ts";

/**
 * Annotation of the Lease: where the leader's query API listens for the person who started it, as `http://host:port`.
 * Only managers that listen on a loopback address say this.
 */
export const LOCAL_ADDRESS = `${QUERY_GROUP}/local-address`;
