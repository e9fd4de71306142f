import { IntegerSetting } from 'petstore-service';

/** Read from the environment, with the settings of the service. */
export class ReviewSettings {
  /** Most reviews that an account on the Free plan can have. */
  @IntegerSetting(1, 1_000_000)
  REVIEWS_PER_FREE_ACCOUNT = 10;

  /** Seconds between two computations of the average rating. */
  @IntegerSetting(1, 3_600)
  REVIEWS_AVERAGE_INTERVAL = 60;
}
