import { Token } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type Config, parseConfig } from '../contract/config/config.ts';
import { READ_OF_EARLIER } from '../contract/config/retired.ts';
import { type Mistake, mistakeAt, type Path, pathText } from '../contract/input/parse-input.ts';
import type { SecretSource } from '../contract/input/secret-source.ts';
import type { ConfigProps, EndpointRolloutsProps } from './endpoint-rollouts-props.ts';

/**
 * The props, as a configuration file would say them: objects of the CDK are replaced by their ARNs and names, and
 * whatever is known only where the stack is deployed is left out of the checks. Functions check it when they load.
 */
export class GivenProps {
  readonly config: Config;
  /** The same with texts of the right form in the place of those that are not known yet. */
  readonly checked: Config;
  private readonly objects = new Map<string, Construct>();
  /** What stands in for texts that are not known yet, by these texts and their places. */
  private readonly standIns = new Map<
    string,
    { readonly standIn: string; readonly text: string }
  >();
  private readonly mistakes: Mistake[] = [];

  /** @throws `InvalidInput` that lists every mistake. */
  constructor(props: EndpointRolloutsProps) {
    this.checked = parseConfig(this.written(configIn(props), []), this.mistakes);
    const late = new Map([...this.standIns.values()].map(({ standIn, text }) => [standIn, text]));
    this.config = replaceTexts(this.checked, (text) => late.get(text) ?? text) as Config;
  }

  /** The object that was given where the configuration now has this ARN or name. */
  objectOf(text: string | undefined): Construct | undefined {
    return text === undefined ? undefined : this.objects.get(text);
  }

  /** Whether the place of a text that was checked is known only where the stack is deployed. */
  isLate(checked: string): boolean {
    return [...this.standIns.values()].some(({ standIn }) => standIn === checked);
  }

  private written(value: unknown, path: Path): unknown {
    if (typeof value === 'string' && isLate(value)) return this.standInFor(value, path);
    if (Token.isUnresolved(value)) return this.refuse(path, KNOW_IT);
    if (Construct.isConstruct(value)) return this.writtenObject(value, path);
    if (Array.isArray(value)) return value.map((one, index) => this.written(one, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    const isEarlier = path.length === 2 && path[0] === 'retired';
    const read = Object.entries(value).filter(
      ([key]) => !isEarlier || READ_OF_EARLIER.includes(key),
    );
    return Object.fromEntries(
      read.map(([key, one]) => {
        const name = path.join() === 'notifications' && key === 'topic' ? 'topicArn' : key;
        return [name, this.written(one, [...path, key])];
      }),
    );
  }

  private writtenObject(construct: Construct, path: Path): unknown {
    const place = placeOf(path);
    const given = place?.object?.(construct as never);
    if (given === undefined)
      return this.refuse(path, 'this object of the CDK is not possible here');
    const text = typeof given === 'string' ? given : given.awsSecret;
    this.objects.set(text, construct);
    return this.written(given, path);
  }

  private standInFor(text: string, path: Path): unknown {
    const place = placeOf(path);
    if (place?.standIn === undefined) return this.refuse(path, KNOW_IT);
    const key = `${place.at} ${text}`;
    const known = this.standIns.get(key)?.standIn ?? place.standIn(`${this.standIns.size}`);
    this.standIns.set(key, { standIn: known, text });
    return known;
  }

  private refuse(path: Path, verdict: string): undefined {
    this.mistakes.push(mistakeAt(path, verdict));
  }
}

function configIn(props: EndpointRolloutsProps): ConfigProps {
  const given = Object.entries(props).filter(
    ([key]) => !DEPLOYMENT_KEYS.some((one) => one === key),
  );
  return Object.fromEntries(given);
}

const DEPLOYMENT_KEYS = [
  ...['network', 'outputs', 'logRetention', 'removalPolicy', 'dashboard', 'alarms', 'memorySize'],
  ...['reservedConcurrency', 'layers', 'permissionsBoundary'],
] satisfies string[];

const KNOW_IT =
  'use a value that is known at synthesis; this one is known only when the stack is deployed';

/** A value that the CDK looks up is this text until the command line has looked. */
const NOT_LOOKED_UP = /^dummy-value-for-/;

function isLate(text: string): boolean {
  return Token.isUnresolved(text) || NOT_LOOKED_UP.test(text);
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one) => replaceTexts(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, replaceTexts(one, replace)]),
  );
}

interface Place {
  readonly at: RegExp;
  /** What is written for an object. @default - no object is possible */
  readonly object?: (
    construct: never,
  ) => string | Extract<SecretSource, { awsSecret: string }> | undefined;
  /** A text that passes the checks of this place. @default - the value must be known */
  readonly standIn?: (number: string) => string;
}

const NOWHERE = 'late:000000000000';
const lateUrl = (number: string) => `https://late-${number}.invalid`;
const lateName = (number: string) => `late-${number}`;
const lateKey = (number: string) => `arn:aws:kms:${NOWHERE}:key/mrk-${number.padStart(32, '0')}`;

/** Where objects of the CDK, and values that are known only where the stack is deployed, are possible. */
const PLACES: readonly Place[] = [
  { at: /^endpointUrl$|^auth\.tokenUrl$/, standIn: lateUrl },
  { at: /\.verify\.\w+\[\d+\]\.url$/, standIn: lateUrl },
  {
    at: /^tls\.(ca|cert|key)$|\.secret$/,
    object: (secret: ISecret) => {
      const { secretArn, secretFullArn, encryptionKey } = secret;
      if (secretArn === undefined) return undefined;
      return {
        // Without the end of the ARN, which AWS has chosen, it is one of any six characters.
        awsSecret: secretFullArn ?? `${secretArn}-??????`,
        ...(encryptionKey && { kmsKey: encryptionKey.keyArn }),
      };
    },
  },
  {
    at: /\.awsSecret$/,
    standIn: (number) => `arn:aws:secretsmanager:${NOWHERE}:secret:late-${number.padStart(6, '0')}`,
  },
  { at: /^kmsKey$/, object: ({ keyArn }: IKey) => keyArn, standIn: lateKey },
  { at: /\.kmsKey$/, object: ({ keyArn }: IKey) => keyArn, standIn: lateKey },
  {
    at: /^notifications\.topic(Arn)?$/,
    object: ({ topicArn }: ITopic) => topicArn,
    standIn: (number) => `arn:aws:sns:${NOWHERE}:late-${number}`,
  },
  {
    at: /^triggers\.releases\[\d+\]\.bus$/,
    object: ({ eventBusArn }: IEventBus) => eventBusArn,
    standIn: lateName,
  },
  {
    at: /\.verify\.alarms\[\d+\](\.name)?$/,
    object: ({ alarmName }: IAlarm) => alarmName,
    standIn: lateName,
  },
  {
    at: /\.verify\.checks\[\d+\]\.lambda$/,
    object: ({ functionArn }: IFunction) => functionArn,
    standIn: (number) => `arn:aws:lambda:${NOWHERE}:function:late-${number}`,
  },
];

function placeOf(path: Path): Place | undefined {
  // An earlier configuration has the same places.
  const own = path[0] === 'retired' ? path.slice(2) : path;
  const text = pathText(own, (key) => key);
  return PLACES.find(({ at }) => at.test(text));
}
