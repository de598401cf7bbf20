import { marshall } from '@aws-sdk/util-dynamodb';

interface ErrorDetails {
  readonly Item?: object;
  readonly CancellationReasons?: readonly {
    readonly Code?: string;
    readonly Message?: string;
    readonly Item?: object;
  }[];
  readonly [name: string]: unknown;
}

const options = { convertClassInstanceToMap: true, removeUndefinedValues: true };

/** An error as the SDK throws it. Its records are given as plain objects, and come as attribute values, as in the SDK's. */
export function sdkError(name: string, status: number | undefined, details: ErrorDetails = {}): Error {
  const { Item, CancellationReasons, ...rest } = details;
  const reasons = CancellationReasons?.map((reason) => ({
    ...reason,
    ...(reason.Item && { Item: marshall(reason.Item, options) }),
  }));
  return Object.assign(new Error(name), {
    name,
    $metadata: { httpStatusCode: status },
    ...(Item && { Item: marshall(Item, options) }),
    ...(reasons && { CancellationReasons: reasons }),
    ...rest,
  });
}
