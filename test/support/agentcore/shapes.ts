import {
  AccessDeniedException$,
  ConflictException$,
  CreateAgentRuntimeEndpoint$,
  CreateHarnessEndpoint$,
  DeleteAgentRuntimeEndpoint$,
  DeleteHarnessEndpoint$,
  GetAgentRuntimeEndpoint$,
  GetHarness$,
  InternalServerException$,
  ListAgentRuntimeEndpoints$,
  ListAgentRuntimeVersions$,
  ListHarnessEndpoints$,
  ListHarnesses$,
  ListHarnessVersions$,
  ResourceNotFoundException$,
  ServiceQuotaExceededException$,
  ThrottlingException$,
  UpdateAgentRuntimeEndpoint$,
  UpdateHarnessEndpoint$,
  ValidationException$,
} from '@aws-sdk/client-bedrock-agentcore-control';

// The SDK's model of the API: [kind, namespace, name, traits, …]. What the double takes and says is checked with it.

type Schema = number | SchemaArray | (() => Schema);
type SchemaArray = readonly unknown[];

export interface Operation {
  readonly name: string;
  readonly method: string;
  /** Matches the path, with a group for each label. */
  readonly path: RegExp;
  /** The status of its success. */
  readonly status: number;
  readonly labels: readonly string[];
  readonly query: readonly string[];
  readonly input: Schema;
  readonly output: Schema;
}

const HTTP_LABEL = 1;

export const OPERATIONS: readonly Operation[] = [
  CreateAgentRuntimeEndpoint$,
  DeleteAgentRuntimeEndpoint$,
  GetAgentRuntimeEndpoint$,
  ListAgentRuntimeEndpoints$,
  ListAgentRuntimeVersions$,
  UpdateAgentRuntimeEndpoint$,
  CreateHarnessEndpoint$,
  DeleteHarnessEndpoint$,
  GetHarness$,
  ListHarnesses$,
  ListHarnessEndpoints$,
  ListHarnessVersions$,
  UpdateHarnessEndpoint$,
].map((schema) => {
  const [, , name, traits, input, output] = schema as unknown as SchemaArray;
  const [method, uri, status] = (traits as { http: [string, string, number] }).http;
  const members = Object.entries(membersOf(input as Schema));
  return {
    name: String(name),
    method,
    path: new RegExp(`^${uri.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    status,
    labels: members.filter(([, { traits }]) => traits === HTTP_LABEL).map(([member]) => member),
    query: members.filter(([, { traits }]) => isQuery(traits)).map(([member]) => member),
    input: input as Schema,
    output: output as Schema,
  };
});

/** The statuses of the errors, by their names. */
export const STATUS_OF_ERROR: ReadonlyMap<string, number> = new Map(
  [
    AccessDeniedException$,
    ConflictException$,
    InternalServerException$,
    ResourceNotFoundException$,
    ServiceQuotaExceededException$,
    ThrottlingException$,
    ValidationException$,
  ].map((schema) => {
    const [, , name, traits] = schema as unknown as SchemaArray;
    return [String(name), (traits as { httpError: number }).httpError];
  }),
);

/** Why a value is not what the model says. */
export function faultsOf(schema: Schema, value: unknown, place: string): string[] {
  const resolved = resolve(schema);
  if (typeof resolved === 'number') return faultsOfSimple(resolved, value, place);
  const [kind, , , , ...rest] = resolved;
  switch (kind) {
    case STRUCTURE:
      return faultsOfStructure(resolved, value, place);
    case UNION:
      return Object.keys(Object(value)).length === 1
        ? faultsOfStructure(resolved, value, place)
        : [`${place} is not one of several`];
    case LIST:
      return Array.isArray(value)
        ? value.flatMap((item, index) => faultsOf(rest[0] as Schema, item, `${place}.${index}`))
        : [`${place} is no list`];
    default:
      return faultsOf(rest[0] as Schema, value, place);
  }
}

const LIST = 1;
const STRUCTURE = 3;
const UNION = 4;

const STRING = 0;
const NUMBER = 1;
const DATE_TIME = 5;
const LIST_OF_STRINGS = 64;
const MAP_OF_STRINGS = 128;

function faultsOfStructure(schema: SchemaArray, value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${place} is no object`];
  const members = membersOf(schema);
  const unknown = Object.keys(value).filter((name) => !(name in members));
  return [
    ...unknown.map((name) => `${place}.${name} is unknown`),
    ...Object.entries(members).flatMap(([name, member]) => {
      const given = (value as Record<string, unknown>)[name];
      if (given === undefined) return member.isRequired ? [`${place}.${name} is missing`] : [];
      return faultsOf(member.schema, given, `${place}.${name}`);
    }),
  ];
}

function faultsOfSimple(kind: number, value: unknown, place: string): string[] {
  switch (kind) {
    case STRING:
      return typeof value === 'string' ? [] : [`${place} is no text`];
    case NUMBER:
      return typeof value === 'number' ? [] : [`${place} is no number`];
    case DATE_TIME:
      return ISO_TIME.test(String(value)) ? [] : [`${place} is no time`];
    case LIST_OF_STRINGS:
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? []
        : [`${place} is no list of texts`];
    case MAP_OF_STRINGS:
      return Object(value) === value ? [] : [`${place} is no map`];
    default:
      throw new Error(`The model has a kind ${kind} at ${place}, which the double does not know.`);
  }
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

interface Member {
  readonly schema: Schema;
  readonly traits: unknown;
  readonly isRequired: boolean;
}

/** Required members come first, and the last number says how many there are. */
export function membersOf(structure: Schema): Readonly<Record<string, Member>> {
  const [, , , , names, schemas, required = 0] = resolve(structure) as SchemaArray;
  return Object.fromEntries(
    (names as string[]).map((name, index) => {
      const member = (schemas as Schema[])[index] as Schema;
      const [schema, traits] = isPair(member) ? member : [member, 0];
      return [name, { schema, traits, isRequired: index < (required as number) }];
    }),
  );
}

function isPair(member: Schema): member is [Schema, unknown] {
  return Array.isArray(member) && typeof member[1] !== 'string';
}

function resolve(schema: Schema): number | SchemaArray {
  if (typeof schema === 'function') return resolve(schema());
  return isPair(schema) ? resolve(schema[0]) : schema;
}

function isQuery(traits: unknown): boolean {
  return typeof traits === 'object' && traits !== null && 'httpQuery' in traits;
}
