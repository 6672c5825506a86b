"""One image as a batch of one."""

from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import expand_dims


def as_batch(image, argument="image"):
    """(images, whether they were a batch): a batch of images of one image or of several."""
    image = convert_to_tensor(image)
    rank = len(image.shape)
    if rank not in (3, 4):
        raise ValueError(f"'{argument}' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return (image, True) if rank == 4 else (expand_dims(image, 0), False)
