def fibonacci(count: int) -> list[int]:
    """The first `count` Fibonacci numbers."""
    numbers: list[int] = []
    current, following = 0, 1
    for _ in range(count):
        numbers.append(current)
        current, following = following, current + following
    return numbers


if __name__ == "__main__":
    print(fibonacci(10))
