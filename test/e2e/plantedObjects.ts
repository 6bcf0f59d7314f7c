import { expect } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { ApiFailure, eventually } from "../envtest/index.ts";
import { bundle, demoApplication, overridePolicy, placement } from "../builders/index.ts";
import type { Federation } from "./federation.ts";
import { MYSQL_CRD, mysqlCluster } from "./mysqlOperator.ts";
import { collectionPath, type DataObject, objectPath, secret } from "./objects.ts";
import { PlantedValue } from "./plantedValues.ts";

/** Everywhere that a secret value enters Meridian. */
export const VALUES = {
  data: new PlantedValue("data of a Secret"),
  stringData: new PlantedValue("stringData of a Secret"),
  noted: new PlantedValue("annotation of kubectl apply on a Secret"),
  annotation: new PlantedValue("annotation of a Secret"),
  pull: new PlantedValue("password of an image registry"),
  placed: new PlantedValue("data of a Secret that a policy places"),
  refused: new PlantedValue("data of a Secret that a member refuses"),
  patched: new PlantedValue("value that an override patches into a Secret"),
  patchedString: new PlantedValue("stringData that an override patches into a Secret"),
  tested: new PlantedValue("value that an override compares with"),
  misfit: new PlantedValue("value that an override puts where it cannot be"),
  bundled: new PlantedValue("data of a Secret in a bundle"),
  bundledString: new PlantedValue("stringData of a Secret in a bundle"),
  mysql: new PlantedValue("password of a database"),
  drift: new PlantedValue("data that somebody wrote into a copy"),
  env: new PlantedValue("env value of an application"),
  planned: new PlantedValue("data of a Secret in a file for plan"),
  brokenKubeconfig: new PlantedValue("kubeconfig that cannot be read", ""),
  memberToken: new PlantedValue("token that a member refuses", ""),
  memberKey: new PlantedValue("client key of a member", ""),
  memberPassword: new PlantedValue("password in a kubeconfig", ""),
  forged: new PlantedValue("bearer token that the hub refuses", ""),
  address: new PlantedValue("token in the address of a query", ""),
} as const;

/** Values that people write into objects that are no Secrets. The hub's RBAC says who reads these objects. */
export const IN_OBJECTS: readonly PlantedValue[] = [VALUES.env];

const DOCKER = "kubernetes.io/dockerconfigjson";
const MYSQL = { apiVersion: MYSQL_CRD.spec.group + "/v1alpha1", kind: "MysqlCluster" };

export interface Fleet {
  federation: Federation;
  namespace: string;
  /** Takes everything. */
  open: string;
  /** Refuses Secrets with a password, and says which. */
  strict: string;
  /** Joined with credentials that do not work. */
  broken: string;
}

/** Writes all of the objects, and waits until they have gone as far as they can. */
export async function plant(fleet: Fleet): Promise<void> {
  const { federation, namespace, open, strict } = fleet;
  await denySecrets(federation.memberApi(strict), namespace);
  for (const api of [federation.api, ...[open, strict].map((name) => federation.memberApi(name))])
    await api.create(collectionPath("CustomResourceDefinition"), MYSQL_CRD as KubeObject);
  await plantSecrets(fleet);
  await federation.apply(
    placement("all")
      .namespace(namespace)
      .selects(
        { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
        { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" },
        ...["placed", "patched", "tested", "misfit"].map((name) => ({ apiVersion: "v1", kind: "Secret", name })),
      )
      .onClusters(open, strict),
  );
  const database = placement("database").namespace(namespace).selects(MYSQL).onClusters(open, strict);
  await federation.apply(database.withSecretsAt("spec.secretName"));
  await plantOverrides(fleet);
  const manifests = [
    { ...secret("", "bundled", { word: VALUES.bundled.text }), stringData: { password: VALUES.bundledString.text } },
  ].map(({ metadata, ...rest }) => ({ ...rest, metadata: { name: metadata.name } }));
  await federation.apply(bundle("parts", manifests as unknown as KubeObject[], { namespace }));
  await federation.apply(mysqlCluster(namespace, "my-db", 1));
  await federation.apply(application(namespace));
}

export function application(namespace: string, env = VALUES.env.text): KubeObject {
  const plain = demoApplication("shop").namespace(namespace).env("GREETING", env);
  const object = plain.envFromSecret("db").envFromSecret("strings").envFromSecret("noted").object();
  return { ...object, spec: { ...object.spec, imagePullSecrets: [{ name: "registry" }] } };
}

async function plantSecrets({ federation, namespace }: Fleet): Promise<void> {
  const auths = { "registry.example.com": { username: "u", password: VALUES.pull.text } };
  const made: (DataObject & { stringData?: object; type?: string })[] = [
    secret(namespace, "db", { word: VALUES.data.text, password: VALUES.refused.text }),
    { ...secret(namespace, "strings", {}), stringData: { word: VALUES.stringData.text } },
    { ...secret(namespace, "registry", { ".dockerconfigjson": JSON.stringify({ auths }) }), type: DOCKER },
    secret(namespace, "placed", { word: VALUES.placed.text }),
    secret(namespace, "patched", { word: "plain" }),
    secret(namespace, "tested", { word: "plain" }),
    secret(namespace, "misfit", { word: "plain" }),
    secret(namespace, "my-db-secret", { ROOT_PASSWORD: VALUES.mysql.text }),
  ];
  for (const object of made) {
    object.metadata.annotations = { "example.com/hint": VALUES.annotation.text };
    await federation.api.create(collectionPath("Secret", namespace), object);
  }
  const noted = { ...secret(namespace, "noted", {}), stringData: { word: VALUES.noted.text } };
  await federation.kubectl(["apply", "-f", "-"], JSON.stringify(noted));
}

async function plantOverrides({ federation, namespace }: Fleet): Promise<void> {
  const patches = {
    patched: [
      { op: "add", path: "/data/password", value: VALUES.patched.base64 },
      { op: "add", path: "/stringData", value: { more: VALUES.patchedString.text } },
    ],
    tested: [{ op: "test", path: "/data/word", value: VALUES.tested.base64 }],
    misfit: [{ op: "add", path: "/data", value: VALUES.misfit.text }],
  } as const;
  for (const [name, list] of Object.entries(patches)) {
    const policy = overridePolicy(name).namespace(namespace).selects({ apiVersion: "v1", kind: "Secret", name });
    await federation.apply(policy.rule({ patches: [...list] }));
  }
}

/** Kubeconfigs that do not work, one after the other. */
export async function plantCredentials({ federation, broken }: Fleet): Promise<void> {
  const { plane } = federation.member(broken);
  await federation.joinByHand(broken, `users: [${VALUES.brokenKubeconfig.text}`);
  await federation.untilMemberIs(broken, "False");
  const works = plane.kubeconfigFor({ token: VALUES.memberToken.text });
  const user = `token: "${VALUES.memberToken.text}"`;
  const key = Buffer.from(`-----BEGIN PRIVATE KEY-----\n${VALUES.memberKey.base64}\n-----END PRIVATE KEY-----\n`);
  const others = [
    works.replace(user, `username: u, password: "${VALUES.memberPassword.text}"`),
    works.replace(
      user,
      `client-certificate-data: ${Buffer.from(plane.caData).toString("base64")}, client-key-data: ${key.toString("base64")}`,
    ),
  ];
  let before = (await federation.memberCondition(broken))?.message;
  for (const kubeconfig of others) {
    expect(kubeconfig).not.toContain(VALUES.memberToken.text);
    await federation.setKubeconfig(broken, kubeconfig);
    await eventually(async () => {
      const { status, message } = (await federation.memberCondition(broken)) ?? {};
      expect(status).toBe("False");
      expect(message).not.toBe(before);
      before = message;
    });
  }
  await federation.setKubeconfig(broken, works);
  await federation.untilMemberIs(broken, "False", "CredentialsRejected");
}

/** Somebody changes a copy on a member, and Meridian puts it right. */
export async function plantDrift({ federation, namespace, open }: Fleet): Promise<void> {
  const [api, path] = [federation.memberApi(open), objectPath("Secret", namespace, "db")];
  await api.patch(`${path}?fieldManager=rogue`, "merge", { data: { word: VALUES.drift.base64 } });
  await eventually(async () => {
    const { data, metadata } = await api.get<DataObject>(path);
    expect(data?.["word"]).toBe(VALUES.data.base64);
    expect(metadata.annotations).not.toHaveProperty(["kubectl.kubernetes.io/last-applied-configuration"]);
  });
}

/** Every value that travels is on the member: a test that plants nothing would find nothing. */
export async function expectArrived({ federation, namespace, open }: Fleet): Promise<void> {
  const { data, stringData, noted, pull, placed, patched, patchedString, bundled, bundledString, mysql } = VALUES;
  const api = federation.memberApi(open);
  await eventually(async () => {
    const there = JSON.stringify(await api.list(collectionPath("Secret", namespace)));
    const missing = [data, stringData, noted, placed, patched, patchedString, bundled, bundledString, mysql, pull]
      .filter((value) => value.traceIn(there) === undefined)
      .map(({ what }) => what);
    expect(missing).toEqual([]);
  });
}

/** A policy of a member that repeats in its message what is in the Secret. */
async function denySecrets(api: ReturnType<Federation["memberApi"]>, namespace: string): Promise<void> {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const [kind, bindingKind] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
  const name = "no-passwords";
  await api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await api.create(collectionPath(kind), {
    ...{ apiVersion, kind, metadata: { name } },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["secrets"] },
        ],
      },
      validations: [
        {
          expression: "!has(object.data) || !('password' in object.data)",
          messageExpression:
            "'no password ' + string(object.data.password) + ', hint ' + object.metadata.annotations['example.com/hint']",
        },
      ],
    },
  } as KubeObject);
  await api.create(collectionPath(bindingKind), {
    ...{ apiVersion, kind: bindingKind, metadata: { name } },
    spec: { policyName: name, validationActions: ["Deny"] },
  } as KubeObject);
  await eventually(async () => {
    const probe = secret(namespace, "probe", { password: "correct-horse" });
    probe.metadata.annotations = { "example.com/hint": "staple" };
    const path = `${collectionPath("Secret", namespace)}?dryRun=All`;
    const answer: unknown = await api.create(path, probe).catch((error) => error);
    expect(answer).toBeInstanceOf(ApiFailure);
    expect(answer).toMatchObject({
      status: 422,
      message: expect.stringContaining(`no password ${probe.data?.["password"]}`),
    });
  });
}
