"""One image as a batch of one."""

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import of_sizes
from tfcompat.array import expand_dims


def check_not_empty(image):
    """Raises ValueError for images without pixels or channels."""
    if 0 in image.shape.as_list()[-3:]:
        raise of_sizes(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")


def as_batch(image, argument="image", may_be_empty=False):
    """(images, whether they were a batch): a batch of images of one image or of several."""
    image = convert_to_tensor(image)
    rank = len(image.shape)
    if rank not in (3, 4):
        raise ValueError(f"'{argument}' (shape {image.shape}) must have either 3 or 4 dimensions.")
    if not may_be_empty:
        check_not_empty(image)
    return (image, True) if rank == 4 else (expand_dims(image, 0), False)
