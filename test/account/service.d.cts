import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface Request {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly requestContext: { readonly http: { readonly method: string } };
}

export function createService(
  database: DynamoDBClient,
  environment: { readonly TABLE: string; readonly TOKEN: string },
  now?: () => number,
): (request: Request) => Promise<{ readonly statusCode: number; readonly body: string }>;
