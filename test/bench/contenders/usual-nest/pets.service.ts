import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { Pet } from './entities.js';
import type { ListPetsDto, NewPetDto } from './pets.dto.js';

@Injectable()
export class PetsService {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  /** Returns one pet more than the limit if there is a next page. */
  list({ limit, status, after }: ListPetsDto): Promise<Pet[]> {
    return this.pets.find({
      where: { ...(status === undefined ? {} : { status }), ...(after === undefined ? {} : { id: MoreThan(after) }) },
      order: { id: 'ASC' },
      take: limit + 1,
    });
  }

  async get(id: number): Promise<Pet> {
    const pet = await this.pets.findOneBy({ id });
    if (pet !== null) return pet;
    throw new NotFoundException({
      code: 'pet_not_found',
      message: `There is no pet with the identifier "${id}".`,
      status: 404,
    });
  }

  create(pet: NewPetDto): Promise<Pet> {
    return this.pets.save(this.pets.create(pet));
  }
}
