// The throttler package is CommonJS and requires these; jest can require an ES module only once it has been imported.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
