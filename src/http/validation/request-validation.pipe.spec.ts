import { beforeEach, describe, expect, it } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import { IsObject, IsOptional, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { ApiError } from '../errors/api-error.js';
import { RequestValidationPipe, ValidatedOnce } from './request-validation.pipe.js';

let validations = 0;

const IsShort = () =>
  ValidateBy({
    name: 'isShort',
    validator: {
      validate: (value) => {
        validations += 1;
        return typeof value === 'string' && value.length < 3;
      },
    },
  });

@ValidatedOnce()
class OnceQuery {
  @IsShort()
  name!: string;
}

class EachTimeQuery {
  @IsShort()
  name!: string;
}

class Item {
  @IsString()
  name!: string;

  @Type(() => Item)
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  parts: Item[] = [];
}

const pipe = new RequestValidationPipe();
const read = async (metatype: new () => object, name: string) => pipe.transform({ name }, { type: 'query', metatype });

beforeEach(() => {
  validations = 0;
});

describe('a query with @ValidatedOnce()', () => {
  it('is not validated again once it was valid, and is the same frozen instance', async () => {
    const [first, second] = [await read(OnceQuery, 'a'), await read(OnceQuery, 'a')];
    expect(first).toBeInstanceOf(OnceQuery);
    expect(first).toEqual({ name: 'a' });
    expect(second).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(validations).toBe(1);
  });

  it('is another instance if its text is another', async () => {
    expect([await read(OnceQuery, 'b'), await read(OnceQuery, 'c')]).toEqual([{ name: 'b' }, { name: 'c' }]);
    expect(validations).toBe(2);
  });

  it('is refused each time if it is invalid', async () => {
    for (const _ of [1, 2]) await expect(read(OnceQuery, 'long')).rejects.toThrow(ApiError);
    expect(validations).toBe(2);
  });

  it('does not make a body valid that looks the same', async () => {
    await read(OnceQuery, 'd');
    await pipe.transform({ name: 'd' }, { type: 'body', metatype: OnceQuery });
    expect(validations).toBe(2);
  });
});

it('any other query is validated each time', async () => {
  expect(await read(EachTimeQuery, 'a')).not.toBe(await read(EachTimeQuery, 'a'));
  expect(validations).toBe(2);
});

const send = async (body: unknown) => pipe.transform(body, { type: 'body', metatype: Item });
const part = { name: 'bolt' };

describe('a list of nested objects', () => {
  it('is accepted, at any level', async () => {
    const body = { name: 'cart', parts: [{ name: 'wheel', parts: [part, part] }] };
    expect(await send(body)).toMatchObject(body);
  });

  it.each([
    [[[part]], 'each value in parts must be an object.'],
    [[part, []], 'each value in parts must be an object.'],
    [[[[part]]], 'each value in parts must be an object.'],
    [[{ name: 'wheel', parts: [[part]] }], 'parts.0.each value in parts must be an object.'],
  ])('is refused with lists in place of objects by @IsObject(): %j', async (parts, message) => {
    await expect(send({ name: 'cart', parts })).rejects.toThrow(message);
  });
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, at]));

it('a body with many unknown fields is refused with the first ones, at any level', async () => {
  await expect(send({ name: 'cart', ...many(990) })).rejects.toThrow(/^"unknown0" is not a known field/);
  const nested = { name: 'cart', parts: Array.from({ length: 90 }, () => ({ ...part, ...many(9) })) };
  await expect(send(nested)).rejects.toThrow(/^"unknown0" is not a known field of parts.0/);
});

describe('a transformation that fails', () => {
  class Shape {
    @IsString()
    kind!: string;
  }
  const discriminator = { property: 'kind', subTypes: [{ value: Item, name: 'item' }] };
  class Drawing {
    @Transform(({ value }) => (value as string).trim())
    @IsString()
    title!: string;

    @IsOptional()
    @Type(() => Shape, { discriminator, keepDiscriminatorProperty: true })
    @ValidateNested({ each: true })
    @IsObject({ each: true })
    shapes?: Shape[];

    @IsOptional()
    @Transform(({ value }) => (value as string).trim())
    note?: string;

    @IsString()
    colour = 'blue';
  }
  const draw = async (body: object) => pipe.transform(body, { type: 'body', metatype: Drawing });

  it.each([
    [{ title: 7 }, 'title must be a string.'],
    [{ title: null, size: 7 }, 'title must be a string.'],
    [{ title: 'A', shapes: [null] }, 'each value in shapes must be an object.'],
    [{ title: 'A', shapes: [{ kind: 'x' }, null] }, 'each value in shapes must be an object.'],
  ])('is the fault of a body that breaks the rules: %j', async (body, message) => {
    await expect(draw(body)).rejects.toMatchObject({ code: 'validation_failed', message });
  });

  it('is its own fault otherwise', async () => {
    await expect(draw({ title: 'A', note: 7 })).rejects.toBeInstanceOf(TypeError);
    expect(await draw({ title: ' A ', shapes: [{ kind: 'x' }] })).toMatchObject({ title: 'A', colour: 'blue' });
  });
});
