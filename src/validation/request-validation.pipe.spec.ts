import { beforeEach, describe, expect, it } from '@jest/globals';
import { ValidateBy } from 'class-validator';
import { ValidationFailedError } from '../errors/index.js';
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
    for (const _ of [1, 2]) await expect(read(OnceQuery, 'long')).rejects.toThrow(ValidationFailedError);
    expect(validations).toBe(2);
  });

  it('does not make a body valid that looks the same', async () => {
    await read(OnceQuery, 'd');
    await pipe.transform({ name: 'd' }, { type: 'body', metatype: OnceQuery });
    expect(validations).toBe(2);
  });
});

describe('any other query', () => {
  it('is validated each time', async () => {
    expect(await read(EachTimeQuery, 'a')).not.toBe(await read(EachTimeQuery, 'a'));
    expect(validations).toBe(2);
  });
});
